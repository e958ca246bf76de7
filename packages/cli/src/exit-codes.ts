/**
 * Exit codes of the program (`docs/formats/exit-codes.md`). Death by a signal is never 0.
 */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  daemon: 4,
  /** 128 + SIGINT (2); SIGTERM gives 143. */
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure that is told to the person as one sentence, and to the shell as a code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;
  readonly kind: string;

  constructor(kind: string, message: string, exitCode: ExitCode) {
    super(message);
    this.kind = kind;
    this.exitCode = exitCode;
  }
}

const CODE_BY_KIND: Readonly<Record<string, ExitCode>> = {
  'bad-request': EXIT.usage,
  'ambiguous-id': EXIT.usage,
  'unknown-agent': EXIT.usage,
  'nothing-claimed': EXIT.notFound,
  'not-found': EXIT.notFound,
  'daemon-unreachable': EXIT.daemon,
  'daemon-refused': EXIT.daemon,
  'did-not-start': EXIT.daemon,
  'timed-out': EXIT.daemon,
};

/** The failure that an error value stands for. */
export function failureOf(error: {
  readonly kind: string;
  readonly message: string;
}): CommandFailure {
  return new CommandFailure(error.kind, error.message, CODE_BY_KIND[error.kind] ?? EXIT.failure);
}
