/**
 * Retrieval quality on LoCoMo, through the product: imported as generic JSONL by the import
 * pipeline into ONE store, embedded by the bundled model, asked with a project filter.
 *
 * Decides: what is reported. Words alone, vectors alone, both; both without each part; by category.
 * The weights are the published recipe's, chosen by its authors on all ten conversations; they are
 * not fitted here, so there is no held-out set.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from '@quipu/base';
import { importTranscripts, type Local, openLocal } from '@quipu/daemon';
import { recall, type Weights } from '@quipu/memory';
import { type Conversation, type Question, readLocomo } from './locomo-corpus.ts';
import { type Measured, measure, summarise } from './measures.ts';

const DEFAULT_PATH = join('..', 'shared', 'eval', 'locomo', 'locomo10.json');
const RANKED = 100;

type Variant = {
  readonly name: string;
  readonly mode: 'auto' | 'words' | 'vectors';
  readonly weights?: Partial<Weights>;
};

const VARIANTS: readonly Variant[] = [
  { name: 'words', mode: 'words' },
  { name: 'vectors', mode: 'vectors' },
  { name: 'both', mode: 'auto' },
];

const WITHOUT: readonly Variant[] = [
  { name: 'without neighbours', mode: 'auto', weights: { near: [0, 0, 0], afterQuestion: 0 } },
  { name: 'without bigrams', mode: 'auto', weights: { bigram: 0 } },
  { name: 'without author', mode: 'auto', weights: { author: 0 } },
  { name: 'without dates', mode: 'auto', weights: { date: 0, when: 0 } },
  { name: 'without length', mode: 'auto', weights: { length: 0, question: 0 } },
  { name: 'without question kinds', mode: 'auto', weights: { howMany: 0, capital: 0 } },
  { name: 'without sessions', mode: 'auto', weights: { session: 0 } },
  {
    name: 'without vector windows',
    mode: 'auto',
    weights: { vectorWindow: 0, vectorCentredWindow: 0 },
  },
  { name: 'without supersession', mode: 'auto', weights: { supersession: 2 } },
];

export async function run(options: { readonly json: boolean }): Promise<object> {
  const path = process.env['QUIPU_LOCOMO'] ?? DEFAULT_PATH;
  const conversations = readLocomo(path);
  const folder = mkdtempSync(join(tmpdir(), 'quipu-bench-locomo-'));
  const opened = await openLocal({ directory: join(folder, 'data'), embeddings: 'query' });
  assert(opened.ok, 'the store opens');
  const local = opened.value;
  try {
    await load(local, folder, conversations);
    const figures: Record<string, unknown> = {};
    for (const variant of [...VARIANTS, ...WITHOUT]) {
      const measured = await ask(local, conversations, variant);
      figures[variant.name] = report(variant, measured, options.json);
    }
    return { name: 'locomo', figures };
  } finally {
    await local.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function load(
  local: Local,
  folder: string,
  conversations: readonly Conversation[],
): Promise<void> {
  const file = join(folder, 'locomo.jsonl');
  const lines = conversations.flatMap(({ name, turns }) =>
    turns.map((turn) =>
      JSON.stringify({
        project: name,
        session: turn.session,
        id: turn.id,
        at: new Date(turn.at).toISOString(),
        role: turn.speaker,
        text: turn.text,
      }),
    ),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  const imported = await importTranscripts(local.importDeps, {
    agents: ['generic'],
    paths: [file],
    environment: { home: homedir(), env: {}, platform: process.platform },
  });
  assert(imported.ok && imported.value.messages === lines.length, 'every turn is imported');
  const vectors = await local.memory.backfillVectors();
  assert(vectors.category === null && vectors.pending === 0, 'every passage has its vector');
}

type Asked = Measured & { readonly category: number };

async function ask(
  local: Local,
  conversations: readonly Conversation[],
  variant: Variant,
): Promise<Asked[]> {
  const asked: Asked[] = [];
  const embedder = local.embedder;
  assert(embedder !== undefined, 'the bench has a model');
  const deps = {
    store: local.store,
    kernel: local.kernel,
    embedder: {
      model: embedder.model.digest,
      embed: async (text: string) => {
        const vectors = await embedder.embed([text], { priority: 'query' });
        return vectors.ok ? vectors.value[0] : undefined;
      },
    },
    weights: variant.weights ?? {},
  };
  for (const { name, turns, questions } of conversations) {
    const sessionOf = new Map(turns.map((turn) => [turn.id, turn.session]));
    for (const question of questions) {
      if (question.evidence.length === 0) continue;
      asked.push(await askOne(deps, name, question, sessionOf, variant.mode));
    }
  }
  return asked;
}

async function askOne(
  deps: Parameters<typeof recall>[0],
  project: string,
  question: Question,
  sessionOf: ReadonlyMap<string, string>,
  mode: Variant['mode'],
): Promise<Asked> {
  const answer = await recall(deps, { query: question.text, project, limit: RANKED, mode });
  assert(answer.ok, 'every question is answered');
  const ranked = answer.value.hits.map((hit) => hit.externalId ?? '');
  const session = (id: string): string => sessionOf.get(id) ?? '';
  const measured = measure(ranked, question.evidence, session, answer.value.tookMs);
  return { ...measured, category: question.category };
}

const CATEGORIES = ['', 'multi-hop', 'temporal', 'open-domain', 'single-hop', 'adversarial'];

function report(variant: Variant, asked: readonly Asked[], json: boolean): object {
  const all = summarise(asked);
  const byCategory = Object.fromEntries(
    [1, 2, 3, 4, 5].map((category) => [
      CATEGORIES[category],
      summarise(asked.filter((one) => one.category === category)).recall10,
    ]),
  );
  if (!json) {
    const n = (value: number): string => value.toFixed(3);
    process.stdout.write(
      `${variant.name.padEnd(24)} n=${all.count} R@5 ${n(all.recall5)} R@10 ${n(all.recall10)} ` +
        `R@25 ${n(all.recall25)} any@10 ${n(all.any10)} all@10 ${n(all.all10)} MRR ${n(all.mrr)} ` +
        `NDCG ${n(all.ndcg10)} ses@5 ${n(all.session5)} ` +
        `multi-hop ${n(byCategory['multi-hop'] ?? 0)} ` +
        `p50 ${all.ms.toFixed(1)} ms\n`,
    );
  }
  return { ...all, byCategory };
}
