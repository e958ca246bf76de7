/** Claims about the redactor: what is removed, from every surroundings, once and for all. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateSecrets, survivors } from './generated-secrets.ts';
import { WINDOW_CHARS } from './limits.ts';
import { createRedactor } from './redactor.ts';

const redactor = createRedactor();

describe('generated secrets', () => {
  it('leave no 12 characters of themselves in any surroundings', () => {
    for (const seed of [1, 2, 3]) {
      const secrets = generateSecrets(seed);
      expect(new Set(secrets.map((s) => s.kind)).size).toBeGreaterThanOrEqual(25);
      expect(secrets.length).toBeGreaterThanOrEqual(500);
      const left: string[] = [];
      for (const secret of secrets) {
        const { text } = redactor.redact(secret.text);
        const pieces = survivors(secret, text);
        if (pieces.length > 0) left.push(`${secret.kind} in ${secret.surroundings}: ${text}`);
      }
      expect(left).toEqual([]);
    }
  });

  it('are all found again when they stand in one long text', () => {
    const secrets = generateSecrets(4, 8);
    const { text } = redactor.redact(secrets.map((s) => s.text).join('\n\nand then\n\n'));
    expect(secrets.flatMap((s) => survivors(s, text).map((p) => `${s.kind}: ${p}`))).toEqual([]);
  });

  it('are gone after one pass: a second finds nothing', () => {
    for (const secret of generateSecrets(5)) {
      const once = redactor.redact(secret.text).text;
      expect(redactor.redact(once)).toEqual({ text: once, counts: {} });
    }
  });
});

describe('redaction', () => {
  it('is idempotent on any text with placeholders, names and noise in it', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '[redacted:password]',
        'password=',
        'token: "',
        'Bearer ',
        'eyJ',
        '://u:',
        '@host',
        '\n',
        'hunter2longenough',
        'ghp_',
        '-----BEGIN PRIVATE KEY-----',
        '"',
        '\\n',
        'AKIA',
        '=',
      ),
      fc.constantFrom(...generateSecrets(6, 1).map((s) => s.text)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const once = redactor.redact(pieces.join('')).text;
        expect(redactor.redact(once).text).toBe(once);
      }),
      { numRuns: 400 },
    );
  });

  it('names the kind and counts each place', () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    expect(redactor.redact(`one ${token} two ${token}`)).toEqual({
      text: 'one [redacted:github-token] two [redacted:github-token]',
      counts: { 'github-token': 2 },
    });
  });

  it('removes a value in bare form once it was named, in other parts too', () => {
    const { parts, counts } = redactor.redactParts([
      { type: 'text', text: 'set password=hunter2longenough please' },
      {
        type: 'tool_result',
        callId: 'c',
        tool: 'sh',
        text: 'ok hunter2longenough',
        isError: false,
      },
      { type: 'tool_call', callId: 'c', tool: 'sh', input: '{"a":"hunter2longenough"}' },
      { type: 'image_ref', mediaType: 'image/png', digest: '', source: '/tmp/a.png' },
    ]);
    expect(JSON.stringify(parts)).not.toContain('hunter2');
    expect(parts[3]).toEqual({
      type: 'image_ref',
      mediaType: 'image/png',
      digest: '',
      source: '/tmp/a.png',
    });
    expect(counts).toEqual({ password: 3 });
  });

  it('takes what only the well-kept detector knows', () => {
    const found = redactor.redact('aws_account_id = 1234-5678-9012');
    expect(found.counts).toEqual({ 'aws-secret': 1 });
  });

  it('cannot be switched off by a comment in the text', () => {
    const token = `ghp_${'Z9y8X7w6V5u4'.repeat(3)}`;
    const text = `/* secretlint-disable */\n// secretlint-disable-line\n${token}`;
    expect(redactor.redact(text).text).not.toContain('Z9y8X7');
  });

  it('sees a secret that crosses the edge of a window', () => {
    const token = `npm_${'q1W2e3R4t5Y6'.repeat(3)}`;
    const filler = 'plain words of no interest. '.repeat(WINDOW_CHARS / 28 + 1);
    for (const back of [1, 10, 39]) {
      const text = `${filler.slice(0, WINDOW_CHARS - back - 1)} ${token} tail ${filler}`;
      expect(redactor.redact(text).counts).toEqual({ 'npm-token': 1 });
    }
  });

  it('joins what a terminal wrapped without eating the prose that follows', () => {
    const token = `glpat-${'aB3dE6gH9jK2mN5pQ8sT'}`;
    const wrapped = `token is ${token.slice(0, 14)}\n${token.slice(14)}\nnext line of prose`;
    expect(redactor.redact(wrapped).text).toBe(
      'token is [redacted:gitlab-token]\nnext line of prose',
    );
    expect(redactor.redact(`${token}\nThen more prose`).text).toBe(
      '[redacted:gitlab-token]\nThen more prose',
    );
  });
});
