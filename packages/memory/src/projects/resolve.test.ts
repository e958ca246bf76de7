/** Claims about resolution: the strongest known key wins, the rest is learned or left alone. */
import { derivedId } from '@quipu/base';
import { describe, expect, it } from 'vitest';
import { type ProjectEvidence, type ProjectLookup, resolveProject } from './resolve.ts';

const lookupIn = (keys: Readonly<Record<string, string>>): ProjectLookup => ({
  projectOf: (key) => keys[key],
  keysOf: (id) => Object.keys(keys).filter((key) => keys[key] === id),
});
const seen = (...keys: string[]): ProjectEvidence => ({ name: 'app', keys });

describe('a project', () => {
  it('never seen gets an id from its strongest key, on any machine the same', () => {
    const here = resolveProject(seen('remote:h/x/app', 'path:/here'), lookupIn({}));
    const there = resolveProject(seen('remote:h/x/app', 'path:/there'), lookupIn({}));
    expect(here).toEqual({
      projectId: derivedId('prj', 'remote:h/x/app'),
      isNew: true,
      newKeys: ['remote:h/x/app', 'path:/here'],
    });
    expect(there.projectId).toBe(here.projectId);
  });

  it('seen elsewhere is joined and learns its new place', () => {
    const known = lookupIn({ 'remote:h/x/app': 'p1', 'path:/old': 'p1' });
    expect(resolveProject(seen('remote:h/x/app', 'path:/new'), known)).toEqual({
      projectId: 'p1',
      isNew: false,
      newKeys: ['path:/new'],
    });
  });

  it('renamed at its host is found by what it was born as', () => {
    const known = lookupIn({ 'remote:h/x/old': 'p1', 'born:a': 'p1', 'path:/app': 'p1' });
    const found = resolveProject(seen('remote:h/x/new', 'born:a', 'path:/app'), known);
    expect(found).toEqual({ projectId: 'p1', isNew: false, newKeys: ['remote:h/x/new'] });
  });

  it('known by its path alone before may be merged once its remote leads elsewhere', () => {
    const known = lookupIn({ 'remote:h/x/app': 'p1', 'path:/tree': 'p2', 'dir:5': 'p2' });
    expect(resolveProject(seen('remote:h/x/app', 'dir:5', 'path:/tree'), known)).toEqual({
      projectId: 'p1',
      isNew: false,
      newKeys: [],
      conflict: { projectIds: ['p2'], mergeable: ['p2'] },
    });
  });

  it('with a remote of its own is not merged because a directory was used again', () => {
    const known = lookupIn({ 'remote:h/x/b': 'p1', 'remote:h/x/a': 'p2', 'path:/app': 'p2' });
    expect(resolveProject(seen('remote:h/x/b', 'path:/app'), known)).toMatchObject({
      projectId: 'p1',
      newKeys: [],
      conflict: { projectIds: ['p2'], mergeable: [] },
    });
  });

  it('without a key is a defect', () => {
    expect(() => resolveProject(seen(), lookupIn({}))).toThrow('evidence for a project has a key');
  });
});
