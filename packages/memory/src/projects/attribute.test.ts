/** Claims about projects in the store: joined, renamed, merged; never by accident. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKernel } from '@quipu/kernel';
import { openStore, type Store } from '@quipu/store';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { attributeProject } from './attribute.ts';

let directory = '';
let store: Store;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'quipu-attribute-'));
  const opened = await openStore({ directory, kernel: testKernel() });
  if (!opened.ok) throw new Error(opened.error.message);
  store = opened.value;
});
afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

const see = (...keys: string[]): string =>
  store.transaction(() => attributeProject(store, { name: 'app', root: '/r', keys }, 5));
const projects = () => store.all('SELECT id, root, remote, created_at FROM projects ORDER BY id');

it('a project seen twice is one, and learns the keys of the second time', () => {
  const first = see('remote:h/x/app', 'path:/a');
  expect(see('remote:h/x/app', 'path:/b')).toBe(first);
  expect(see('path:/b')).toBe(first);
  expect(projects()).toEqual([{ id: first, root: '/r', remote: null, created_at: 5 }]);
});

it('what was not known of a project is filled in, what was known stays', () => {
  const id = see('path:/a');
  const more = { name: 'other', root: '/other', remote: 'h/x/app', keys: ['path:/a'] };
  store.transaction(() => attributeProject(store, more, 9));
  expect(projects()).toEqual([{ id, root: '/r', remote: 'h/x/app', created_at: 5 }]);
});

it('a directory seen before its remote was known is merged with its sessions', () => {
  const early = see('dir:1', 'path:/tree');
  store.run(
    `INSERT INTO sessions (id, agent, external_id, project_id) VALUES ('ses_1', 'a', 'e', ?)`,
    [early],
  );
  const main = see('remote:h/x/app', 'path:/main');
  expect(main).not.toBe(early);
  expect(see('remote:h/x/app', 'dir:1', 'path:/tree')).toBe(main);
  expect(projects().map((row) => row.id)).toEqual([main]);
  expect(store.get('SELECT project_id FROM sessions')).toEqual({ project_id: main });
  expect(see('path:/tree')).toBe(main);
});

it('projects with remotes of their own stay two, and the directory stays with the first', () => {
  const one = see('remote:h/x/one', 'path:/app');
  const two = see('remote:h/x/two', 'path:/else');
  expect(see('remote:h/x/two', 'path:/app')).toBe(two);
  expect(see('path:/app')).toBe(one);
});
