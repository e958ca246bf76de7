/**
 * What a recording is made of: a program, and situations in which it is driven.
 *
 * Decides: the words. A `Program` knows how its binary is run alone (no account, no network but the
 * upstream) and where it leaves transcripts. A `Situation` is a project, a script for the model,
 * and the commands that a person would type, in order. Each situation has a home of its own.
 */
import type { Exchange, Side } from './upstream/script.ts';

export type Place = {
  /** The home of this run; in the fixture it is called `/home/dev`. */
  readonly home: string;
  /** The project's folder, below the home: the working directory of every command. */
  readonly project: string;
  /** `http://127.0.0.1:PORT` of the scripted upstream. */
  readonly upstream: string;
};

export type Files = Readonly<Record<string, string>>;

export type Step = {
  /** What follows the program's name; `session` is the newest session's id, empty at first. */
  readonly args: (session: string, place: Place) => readonly string[];
  /** What the program is given on its standard input; nothing by default. */
  readonly input?: string;
};

export type Situation = {
  readonly name: string;
  readonly exchanges: readonly Exchange[];
  readonly sides?: readonly Side[];
  readonly title: string;
  readonly toolless?: boolean;
  readonly steps: readonly Step[];
  /** Environment in this situation only. */
  readonly env?: Files;
};

export type Program = {
  /** The name in `AGENTS`. */
  readonly agent: string;
  readonly version: string;
  /** The package as its registry names it, for people who record again. */
  readonly package: string;
  /** The command, from the folder into which the package was installed. */
  readonly command: (folder: string) => readonly string[];
  readonly env: (place: Place) => Files;
  /** Settings, by path below the home. */
  readonly settings: (place: Place) => Files;
  /** The project: its folder's name and files. */
  readonly project: { readonly name: string; readonly files: Files };
  /** Lines that the program puts around what a command printed; they are kept with it. */
  readonly frames?: readonly string[];
  /** Whether a file, by path below the home, is a transcript or stands beside one. */
  readonly keeps: (path: string) => boolean;
  /** The id of the newest session, for commands that resume it. */
  readonly newestSession: (home: string) => Promise<string>;
  readonly situations: readonly Situation[];
};
