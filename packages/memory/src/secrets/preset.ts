/**
 * The well-kept detector: secretlint's recommended rules, run in place.
 *
 * Decides: the rules are driven through their public interface, one synchronous call a text, rather
 * than through secretlint's engine: admission stays one synchronous step, and a comment in a
 * transcript (`secretlint-disable`) cannot switch the search off. The one rule that waits (reading
 * a `.p12` file from disk) never applies to text. `createPreset` proves with a canary that rules
 * answer before they return, so that a new version that does not is caught at once.
 */
import { assert } from '@quipu/base';
import { creator, rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Span } from './spans.ts';

type Report = { readonly range: readonly [number, number]; readonly id: string };

export type Preset = { readonly find: (text: string) => Span[] };

export function createPreset(): Preset {
  assert(creator.meta.type === 'preset', 'secretlint gives a preset');
  let reports: Report[] = [];
  const handlers = rules.map((rule) => {
    const options = rule.meta.id === AWS_RULE ? { enableIDScanRule: true } : {};
    const created = rule.create(
      contextFor(rule.meta.id, (report) => reports.push(report)),
      options,
    );
    return { file: created.file?.bind(created) };
  });
  const find = (text: string): Span[] => {
    reports = [];
    const source = sourceOf(text);
    for (const handler of handlers) handler.file?.(source);
    return reports.map(toSpan);
  };
  const canary = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  assert(find(canary).length > 0, 'secretlint answers before it returns');
  return { find };
}

const AWS_RULE = '@secretlint/secretlint-rule-aws';

type Rule = (typeof rules)[number];
type RuleContext = Parameters<Rule['create']>[0];
type Source = Parameters<NonNullable<ReturnType<Rule['create']>['file']>>[0];

function contextFor(ruleId: string, take: (report: Report) => void): RuleContext {
  const context = {
    sharedOptions: { filterComments: false },
    createTranslator: () => (messageId: string) => ({ message: messageId, messageId }),
    ignore: () => undefined,
    report: (descriptor: { readonly range: readonly [number, number] }) =>
      take({ range: descriptor.range, id: ruleId }),
  };
  return context as unknown as RuleContext;
}

function sourceOf(text: string): Source {
  const source = {
    filePath: 'transcript.txt',
    content: text,
    contentType: 'text',
    ext: '.txt',
    hasBOM: false,
    values: {},
    indexToPosition: () => ({ line: 1, column: 0 }),
    rangeToLocation: () => ({ start: { line: 1, column: 0 }, end: { line: 1, column: 0 } }),
    locationToRange: () => [0, 0],
    positionToIndex: () => 0,
  };
  return source as unknown as Source;
}

function toSpan(report: Report): Span {
  const name = report.id.replace('@secretlint/secretlint-rule-', '');
  const kind = /^[a-z0-9-]{1,32}$/.test(name) ? (KINDS[name] ?? `${name}-secret`) : 'secret';
  return { start: report.range[0], end: report.range[1], kind, certainty: 1 };
}

const KINDS: Readonly<Record<string, string>> = {
  github: 'github-token',
  gitlab: 'gitlab-token',
  slack: 'slack-token',
  npm: 'npm-token',
  openai: 'openai-key',
  anthropic: 'anthropic-key',
  privatekey: 'private-key',
  basicauth: 'url-password',
  'database-connection-string': 'url-password',
  huggingface: 'huggingface-token',
  sendgrid: 'sendgrid-key',
};
