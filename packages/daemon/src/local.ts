/**
 * The composition root without HTTP: store, embedder and memory for one process.
 *
 * Decides: which real dependencies are built, and their end. The command line, a job and the daemon
 * each open one of these on the same file.
 */
import { err, ok, type Result } from '@quipu/base';
import { createAttributor, type ProjectEvidence } from '@quipu/connectors';
import { createEmbedder, type Embedder } from '@quipu/embed';
import { type Kernel, realKernel } from '@quipu/kernel';
import { type Memory, openMemory } from '@quipu/memory';
import { openStore, type Store, type StoreOpenError } from '@quipu/store';
import type { ImportDeps } from './import/import.ts';

export type LocalOptions = {
  /** The data directory. */
  readonly directory: string;
  /** `query`: at ordinary priority; `background`: at low priority; `none`: no model at all. */
  readonly embeddings: 'query' | 'background' | 'none';
  readonly kernel?: Kernel | undefined;
  readonly readOnly?: boolean | undefined;
};

export type Local = {
  readonly kernel: Kernel;
  readonly store: Store;
  readonly memory: Memory;
  readonly embedder: Embedder | undefined;
  readonly importDeps: ImportDeps;
  readonly close: () => Promise<void>;
};

export type LocalError = { readonly kind: StoreOpenError['kind']; readonly message: string };

export async function openLocal(options: LocalOptions): Promise<Result<Local, LocalError>> {
  const kernel = options.kernel ?? realKernel();
  const opened = await openStore({
    directory: options.directory,
    kernel,
    readOnly: options.readOnly ?? false,
  });
  if (!opened.ok) return err({ kind: opened.error.kind, message: opened.error.message });
  const store = opened.value;
  const embedder =
    options.embeddings === 'none'
      ? undefined
      : createEmbedder({ kernel, directory: options.directory, purpose: options.embeddings });
  const memory = await openMemory({ store, kernel, embedder });
  const attribute = createAttributor();
  return ok({
    kernel,
    store,
    memory,
    embedder,
    importDeps: {
      kernel,
      admission: memory.admission,
      attribute: (session): Promise<ProjectEvidence | undefined> => attribute(session),
    },
    close: async () => {
      await embedder?.close();
      store.close();
    },
  });
}
