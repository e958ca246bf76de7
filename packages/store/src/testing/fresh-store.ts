/** A directory of its own for each test, and opening a store in it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKernel } from '@quipu/kernel';
import { type OpenOptions, openStore } from '../open.ts';
import type { Store } from '../store.ts';

export type FreshPlace = {
  readonly directory: string;
  readonly remove: () => void;
};

export function freshPlace(): FreshPlace {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-store-'));
  return {
    directory: join(folder, 'data'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Opens, or throws the reason. */
export async function mustOpen(directory: string, more: Partial<OpenOptions> = {}): Promise<Store> {
  const opened = await openStore({ directory, kernel: testKernel(), ...more });
  if (!opened.ok) throw new Error(`${opened.error.kind}: ${opened.error.message}`);
  return opened.value;
}

/** Every file of the directory with its bytes. */
export function bytesIn(directory: string): ReadonlyMap<string, Buffer> {
  return new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))]));
}
