/**
 * The lines that make the fix: taken out, and looked up in a coverage report.
 *
 * Decides: lines count as executed when every statement that begins on them ran, and at least one
 * does; lines inside a longer statement count with the smallest one around them.
 */
import type { Guard } from './options.ts';

/** The text without its guards, each replaced by `replacement` once. */
export function withoutGuards(
  text: string,
  guards: readonly Guard[],
  replacement: string | undefined,
): string {
  const lines = text.split('\n');
  const fromBelow = [...guards].sort((a, b) => b.first - a.first);
  for (const { first, last, file } of fromBelow) {
    if (last > lines.length) throw new RangeError(`${file} has ${lines.length} lines, not ${last}`);
    lines.splice(first - 1, last - first + 1, ...(replacement === undefined ? [] : [replacement]));
  }
  return lines.join('\n');
}

export type FileCoverage = {
  readonly statementMap: Readonly<
    Record<string, { start: { line: number }; end: { line: number } }>
  >;
  readonly s: Readonly<Record<string, number>>;
};

/** Undefined when the guard was executed, else a sentence. */
export function notExecuted(coverage: FileCoverage | undefined, guard: Guard): string | undefined {
  const place = `${guard.file}:${guard.first}-${guard.last}`;
  if (coverage === undefined) return `${place}: the test does not load this file`;
  const all = Object.entries(coverage.statementMap).map(([id, { start, end }]) => {
    return { first: start.line, last: end.line, count: coverage.s[id] ?? 0 };
  });
  const inside = all.filter(({ first }) => first >= guard.first && first <= guard.last);
  const around = all
    .filter(({ first, last }) => first <= guard.first && last >= guard.last)
    .sort((a, b) => a.last - a.first - (b.last - b.first))
    .slice(0, 1);
  const judged = inside.length > 0 ? inside : around;
  if (judged.length === 0) return `${place}: no statement stands there`;
  const idle = new Set(judged.filter(({ count }) => count === 0).map(({ first }) => first));
  return idle.size === 0 ? undefined : `${place}: never executed: line ${[...idle].join(', ')}`;
}
