/** Lines as Claude Code writes them, for its parser's tests. */
import { readAll } from '../testing/parser-checks.ts';
import { claudeCodeParser } from './parser.ts';

export const SESSION = '11111111-2222-4333-8444-555555555555';
export const PATH = {
  path: `/home/dev/.claude/projects/-home-dev-shop/${SESSION}.jsonl`,
  part: '',
};
export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const line = (fields: Record<string, unknown>): string =>
  JSON.stringify({
    sessionId: SESSION,
    timestamp: '2026-11-02T10:00:00.000Z',
    cwd: '/home/dev/shop',
    version: '2.1.332',
    gitBranch: 'main',
    ...fields,
  });
export const user = (n: number, content: unknown, more: Record<string, unknown> = {}): string =>
  line({ type: 'user', uuid: uuid(n), message: { role: 'user', content }, ...more });
export const model = (
  n: number,
  id: string,
  content: unknown,
  more: Record<string, unknown> = {},
): string =>
  line({
    type: 'assistant',
    uuid: uuid(n),
    message: { id, role: 'assistant', model: 'claude-opus-5-5', content },
    ...more,
  });
export const text = (words: string): object => ({ type: 'text', text: words });
export const call = (id: string, name: string): object => ({
  type: 'tool_use',
  id,
  name,
  input: { a: 1 },
});
export const result = (id: string, content: unknown, more: object = {}): object => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});
export const read = (...lines: readonly string[]) => readAll(claudeCodeParser, lines, PATH);
export const partsOf = (lines: readonly string[]) => read(...lines).messages.map((m) => m.parts);
