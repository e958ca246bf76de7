/**
 * The daemon's two files: where it is (`daemon.json`) and what proves that one may ask (`token`).
 *
 * Decides: both are 0600 and written whole or not at all. The token outlives the daemon, so that an
 * open page keeps working over a restart. The place is removed only by the daemon that wrote it,
 * and means something in the very directory it was written in: a copy of that has no daemon.
 */
import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomHex } from '../machine.ts';

export type DaemonPlace = {
  readonly pid: number;
  readonly port: number;
  readonly instance: string;
  readonly version: string;
  readonly startedAt: string;
};

const PLACE_FILE = 'daemon.json';
const TOKEN_FILE = 'token';
const TOKEN_PATTERN = /^[0-9a-f]{64}$/;

/** The token, made at first use. A file that others could read is replaced. */
export function readOrMakeToken(directory: string): string {
  const known = readToken(directory);
  if (known !== undefined) return known;
  const token = randomHex(32);
  writePrivate(join(directory, TOKEN_FILE), token);
  return token;
}

/** The token, or undefined when there is none that can be trusted. */
export function readToken(directory: string): string | undefined {
  const path = join(directory, TOKEN_FILE);
  const text = readIfThere(path);
  if (text === undefined || !TOKEN_PATTERN.test(text)) return undefined;
  const { mode, uid } = statSync(path);
  const wide = process.platform !== 'win32' && (mode & 0o077) !== 0;
  return wide || uid !== (process.getuid?.() ?? uid) ? undefined : text;
}

export function writePlace(directory: string, place: DaemonPlace): void {
  const written = { ...place, folder: folderOf(directory) };
  writePrivate(join(directory, PLACE_FILE), JSON.stringify(written));
}

/** Which directory this is, whatever it is called. */
function folderOf(directory: string): string {
  const { dev, ino } = statSync(directory, { bigint: true });
  return `${dev}:${ino}`;
}

export function readPlace(directory: string): DaemonPlace | undefined {
  const text = readIfThere(join(directory, PLACE_FILE));
  if (text === undefined) return undefined;
  try {
    const place = JSON.parse(text) as Partial<DaemonPlace> & { readonly folder?: unknown };
    const whole =
      Number.isInteger(place.pid) &&
      Number.isInteger(place.port) &&
      typeof place.instance === 'string' &&
      typeof place.version === 'string' &&
      place.folder === folderOf(directory);
    return whole ? (place as DaemonPlace) : undefined;
  } catch (failure) {
    if (failure instanceof SyntaxError) return undefined;
    throw failure;
  }
}

/** Removes the place if it is still this instance's. */
export function removePlace(directory: string, instance: string): void {
  if (readPlace(directory)?.instance !== instance) return;
  rmSync(join(directory, PLACE_FILE), { force: true });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (failure) {
    // What may not be read, or lies below a file, is no daemon's: the store says what is wrong.
    const code = (failure as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(code)) return undefined;
    throw failure;
  }
}

function writePrivate(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.${randomHex(6)}`;
  writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
}
