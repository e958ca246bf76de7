/** Claims about addresses: many forms, one repository; no credentials. */
import { describe, expect, it } from 'vitest';
import { parseGitConfig, primaryRemote } from './git-config.ts';
import { normaliseRemote } from './remote.ts';

describe('a remote', () => {
  it.each([
    'https://github.com/Owner/Repo.git',
    'https://github.com/owner/repo',
    'https://github.com/owner/repo/',
    'https://user:ghp_secret@github.com/owner/repo.git',
    'https://oauth2@github.com/owner/repo.git',
    'git@github.com:owner/repo.git',
    'git@github.com:/owner/repo.git',
    'git@github.com-work:owner/repo.git',
    'ssh://git@github.com/owner/repo.git',
    'ssh://git@ssh.github.com:443/owner/repo.git',
    'git+ssh://git@github.com/owner/repo.git',
    'git://github.com/owner/repo.git',
    'https://www.github.com:443/owner/repo.git',
    'github.com/owner/repo',
    'github.com:owner/repo.git',
  ])('%s is one and the same', (url) => {
    expect(normaliseRemote(url)).toBe('github.com/owner/repo');
  });

  it('keeps apart what differs', () => {
    const urls = [
      'https://github.com/owner/repo',
      'https://github.com/fork/repo',
      'https://gitlab.com/owner/repo',
      'http://localhost:3000/owner/repo',
      'http://localhost:4000/owner/repo',
      '/srv/git/repo.git',
      '/srv/git/other.git',
    ];
    expect(new Set(urls.map(normaliseRemote)).size).toBe(urls.length);
  });

  it('of Azure is the same by ssh and https', () => {
    expect(normaliseRemote('git@ssh.dev.azure.com:v3/org/proj/repo')).toBe(
      'dev.azure.com/org/proj/repo',
    );
    expect(normaliseRemote('https://org@dev.azure.com/org/proj/_git/repo')).toBe(
      'dev.azure.com/org/proj/repo',
    );
  });

  it('that is none is undefined', () => {
    for (const text of [
      '',
      ' ',
      '--upload-pack=x',
      'repo',
      '../repo',
      'https://',
      'x'.repeat(5_000),
    ]) {
      expect(normaliseRemote(text), text).toBeUndefined();
    }
  });

  it('never keeps a password', () => {
    for (const url of [
      'https://a:p4ss@h.example/x/y',
      'ssh://a:p4ss@h.example:22/x/y',
      'a:p4ss@h.example:x/y',
      'ftp://a:p4ss@h.example/x',
    ]) {
      expect(normaliseRemote(url) ?? '', url).not.toContain('p4ss');
    }
  });
});

describe('a configuration', () => {
  const remotes = (text: string) => primaryRemote(parseGitConfig(text));

  it('names its project by origin, the only remote, upstream, or the first', () => {
    const entry = (name: string, url: string) => `[remote "${name}"]\n\turl = ${url}\n`;
    expect(remotes(entry('upstream', 'u') + entry('origin', 'o'))).toBe('o');
    expect(remotes(entry('company', 'c'))).toBe('c');
    expect(remotes(entry('me', 'm') + entry('upstream', 'u'))).toBe('u');
    expect(remotes(entry('b', '1') + entry('a', '2'))).toBe('1');
    expect(remotes('[core]\n\tbare = false\n')).toBeUndefined();
  });

  it('is read with its comments, quotes, continuations and odd cases', () => {
    expect(remotes('[REMOTE "origin"] URL = "https://h/x#y" ; note\n')).toBe('https://h/x#y');
    expect(remotes('[remote "origin"]\n url = https://h/\\\nx # note\n')).toBe('https://h/x');
    expect(remotes('[remote "origin"]\n pushurl = p\n url = one\n url = two\n')).toBe('one');
    expect(remotes('[include]\n path = /etc/evil\n[url "x"]\n insteadOf = y\n')).toBeUndefined();
  });
});
