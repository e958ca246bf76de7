/** Which process is taken for the daemon: only the one that answered for itself. */
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOrMakeToken, readToken, writePlace } from './files.ts';
import { findDaemon, proofOf } from './find.ts';

test('a place left by an earlier daemon lends its process id to no other', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'quipu-find-'));
  const token = readOrMakeToken(directory);
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const proof = proofOf(token, searchParams.get('challenge') ?? '');
    response.end(JSON.stringify({ name: 'quipu', version: '1', pid: process.pid, proof }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const place = { port, instance: 'i', version: '1', startedAt: '' };
  writePlace(directory, { ...place, pid: process.ppid });
  expect(await findDaemon(directory)).toBeUndefined();
  writePlace(directory, { ...place, pid: process.pid });
  expect(await findDaemon(directory)).toMatchObject({ pid: process.pid, port });
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

// Only root can give a file away.
test.skipIf(process.getuid?.() !== 0)('a token of another user is not trusted', () => {
  const directory = mkdtempSync(join(tmpdir(), 'quipu-find-'));
  const token = readOrMakeToken(directory);
  expect(readToken(directory)).toBe(token);
  chownSync(join(directory, 'token'), 65_534, 65_534);
  expect(readToken(directory)).toBeUndefined();
  expect(readOrMakeToken(directory)).not.toBe(token);
  rmSync(directory, { recursive: true, force: true });
});
