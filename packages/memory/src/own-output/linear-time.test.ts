/** Claims about time: crafted text is stripped, quoted and digested in seconds at most. */
import { describe, expect, it } from 'vitest';
import { outputDigests, quoteAsData, stripOwnOutput } from './index.ts';

const repeated = (piece: string): string => piece.repeat(Math.ceil(500_000 / piece.length));

/** With unbounded runs of backslashes this took hours. */
const SECONDS_MAX = 15;

describe('crafted text is handled in bounded time', () => {
  it.each([
    ['opening tags', repeated('<quipu-recall 0123456789abcdef>\n| a\n')],
    ['closing tags', repeated('| a\n</quipu-recall 0123456789abcdef>\n')],
    ['backslashes after a tag', `<quipu-recall 0123456789abcdef>${repeated('\\')}`],
    ['backslashes after a citation', `msg_0123456789abcdef${repeated('\\')}`],
    ['citations', repeated('msg_0123456789abcdef\n')],
    ['blanks before a last word', `msg_0123456789abcdef ${repeated(' ')}x`],
    ['quotes before a last word', `msg_0123456789abcdef ${repeated('"')}x`],
    ['entities', `quipu-recall ${repeated('&amp;')}`],
  ])('%s', (_, text) => {
    const start = performance.now();
    stripOwnOutput(text, { has: () => true });
    quoteAsData(text);
    outputDigests(text);
    expect((performance.now() - start) / 1000).toBeLessThan(SECONDS_MAX);
  });
});
