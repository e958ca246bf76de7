/**
 * Why a store cannot be opened, or a write not be done: one family, with a sentence for a person.
 *
 *   newer-schema      made by a newer Quipu; left untouched
 *   older-schema      opened for reading alone, but has to be migrated first
 *   missing           opened for reading alone, but there is none
 *   not-a-store       the file is something else
 *   damaged           SQLite says that the file is broken
 *   network-file-system, unsafe-directory, unwritable
 *   busy              another process holds it longer than we wait
 *   disk-full         nothing was lost; make room
 */
export type StoreErrorKind =
  | 'newer-schema'
  | 'older-schema'
  | 'not-a-store'
  | 'damaged'
  | 'network-file-system'
  | 'unsafe-directory'
  | 'unwritable'
  | 'missing'
  | 'busy'
  | 'disk-full';

export type StoreOpenError = { readonly kind: StoreErrorKind; readonly message: string };

/** A statement that failed for a reason outside the program; thrown, since any statement may. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }

  /** For importers and jobs, which report by category. */
  get category(): string {
    return `store-${this.kind}`;
  }
}

/** SQLite's primary result codes (https://www.sqlite.org/rescode.html). */
const KIND_BY_CODE: Readonly<Record<number, StoreErrorKind>> = {
  5: 'busy',
  6: 'busy',
  8: 'unwritable',
  10: 'unwritable',
  11: 'damaged',
  13: 'disk-full',
  14: 'unwritable',
  23: 'unwritable',
  26: 'not-a-store',
};

const MESSAGES: Readonly<Partial<Record<StoreErrorKind, string>>> = {
  busy: 'Another process is using the memory and does not let go. Try again; see quipu status.',
  damaged: 'The memory file is damaged. quipu doctor says what to do.',
  'disk-full': 'The disk is full. Nothing was lost; make room and try again.',
  unwritable: 'The memory file cannot be read or written. Look at its permissions and the disk.',
  'not-a-store': 'The file is not a Quipu memory.',
};

type DriverError = { readonly errcode?: unknown; readonly code?: unknown };

/** What a driver's error means, by its result code; undefined for a defect (wrong SQL, say). */
export function classify(failure: unknown): StoreOpenError | undefined {
  if (!(failure instanceof Error)) return undefined;
  const { errcode, code } = failure as DriverError;
  const number = typeof errcode === 'number' ? errcode : codeNumber(code);
  const kind = number === undefined ? undefined : KIND_BY_CODE[number & 0xff];
  if (kind === undefined) return undefined;
  return { kind, message: MESSAGES[kind] ?? kind };
}

function codeNumber(code: unknown): number | undefined {
  const byName: Readonly<Record<string, number>> = {
    SQLITE_BUSY: 5,
    SQLITE_LOCKED: 6,
    SQLITE_READONLY: 8,
    SQLITE_IOERR: 10,
    SQLITE_CORRUPT: 11,
    SQLITE_FULL: 13,
    SQLITE_CANTOPEN: 14,
    SQLITE_AUTH: 23,
    SQLITE_NOTADB: 26,
  };
  if (typeof code !== 'string') return undefined;
  const base = /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? '';
  return byName[base];
}

/** The errno name of an error of `node:fs`, by structure. */
export function fileErrorCode(failure: unknown): string | undefined {
  if (!(failure instanceof Error)) return undefined;
  const { errno, code } = failure as NodeJS.ErrnoException;
  return typeof errno === 'number' && typeof code === 'string' ? code : undefined;
}

export const fileError = (path: string, code: string): StoreOpenError => ({
  kind: code === 'ENOSPC' || code === 'EDQUOT' ? 'disk-full' : 'unwritable',
  message: `${path} cannot be used (${code}). Set QUIPU_HOME to a place you may write.`,
});
