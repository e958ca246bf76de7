/** Retrieval measures over one ranked list, and their means. */

export type Measured = {
  readonly recall5: number;
  readonly recall10: number;
  readonly recall25: number;
  readonly any10: number;
  readonly all10: number;
  readonly mrr: number;
  readonly ndcg10: number;
  readonly session5: number;
  readonly ms: number;
};

/** `ranked` best first; `sessionOf` tells the session of an id, for recall of sessions. */
export function measure(
  ranked: readonly string[],
  evidence: readonly string[],
  sessionOf: (id: string) => string,
  ms: number,
): Measured {
  const rank = new Map(ranked.map((id, i) => [id, i]));
  const ranks = evidence.map((id) => rank.get(id) ?? Number.POSITIVE_INFINITY);
  const recall = (k: number): number => ranks.filter((r) => r < k).length / evidence.length;
  const gain = ranks.filter((r) => r < 10).reduce((sum, r) => sum + 1 / Math.log2(r + 2), 0);
  const ideal = evidence.slice(0, 10).reduce((sum, _, i) => sum + 1 / Math.log2(i + 2), 0);
  const first = Math.min(...ranks);
  const sessions = new Set(ranked.map(sessionOf));
  const top = [...sessions].slice(0, 5);
  const wanted = [...new Set(evidence.map(sessionOf))];
  return {
    recall5: recall(5),
    recall10: recall(10),
    recall25: recall(25),
    any10: recall(10) > 0 ? 1 : 0,
    all10: recall(10) === 1 ? 1 : 0,
    mrr: Number.isFinite(first) ? 1 / (first + 1) : 0,
    ndcg10: gain / ideal,
    session5: wanted.filter((session) => top.includes(session)).length / wanted.length,
    ms,
  };
}

/** Means of all measures, and the median time. */
export function summarise(measured: readonly Measured[]): Measured & { readonly count: number } {
  const mean = (key: keyof Measured): number =>
    measured.reduce((sum, one) => sum + one[key], 0) / Math.max(1, measured.length);
  return {
    count: measured.length,
    recall5: mean('recall5'),
    recall10: mean('recall10'),
    recall25: mean('recall25'),
    any10: mean('any10'),
    all10: mean('all10'),
    mrr: mean('mrr'),
    ndcg10: mean('ndcg10'),
    session5: mean('session5'),
    ms: percentile(
      measured.map((one) => one.ms),
      0.5,
    ),
  };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
