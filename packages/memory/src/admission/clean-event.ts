/**
 * Everything of an event but its parts, and a parser's state, without secrets.
 *
 * Decides: which fields are text that a transcript chose: names, ids, places, remotes, what a
 * project is known by. An id that holds a secret becomes the id with the placeholder and a mark of
 * sixteen bits, so that two ids stay two and the mark tells nothing that could be guessed from. A
 * state is redacted as one: a value that one of its texts names is taken out of the others too.
 */
import { digestOf } from '@quipu/base';
import type { MessageEvent, SessionEvent } from '@quipu/store';
import type { ProjectEvidence } from '../projects/resolve.ts';
import type { PartCleaner } from './admission.ts';
import { cleanerOfNames, type TextCleaner } from './clean.ts';

export type EventCleaner = {
  readonly session: (event: SessionEvent) => SessionEvent;
  readonly message: (event: MessageEvent) => MessageEvent;
  readonly evidence: (evidence: ProjectEvidence) => ProjectEvidence;
  /** Plain JSON in, plain JSON of the same shape out. */
  readonly state: (state: unknown) => unknown;
};

/** Hexadecimal digits of the mark: enough to tell ids apart, too few to try values against. */
const ID_MARK_CHARS = 4;

const SESSION_TEXTS = [
  'cwd',
  'project',
  'gitRemote',
  'gitBranch',
  'title',
  'model',
  'agentVersion',
] as const;

export function createEventCleaner(clean: PartCleaner, cleanTexts: TextCleaner): EventCleaner {
  const nameOf = cleanerOfNames(cleanTexts);
  const idOf = (id: string): string => {
    const cleaned = nameOf(id);
    return cleaned === id ? id : `${cleaned}#${digestOf('id', id).slice(0, ID_MARK_CHARS)}`;
  };
  const withoutOwn = (text: string): string => {
    const part = clean([{ type: 'text', text }]).parts[0];
    return part?.type === 'text' ? part.text : '';
  };
  return {
    session: (event) => {
      const texts = SESSION_TEXTS.flatMap((key) => {
        const text = event[key];
        return text === undefined ? [] : [[key, nameOf(text)] as const];
      });
      const { parent, title } = event;
      return {
        ...event,
        ...Object.fromEntries(texts),
        externalId: idOf(event.externalId),
        ...(title === undefined ? {} : { title: withoutOwn(title) }),
        ...(parent === undefined
          ? {}
          : { parent: { ...parent, externalId: idOf(parent.externalId) } }),
      };
    },
    message: (event) => ({
      ...event,
      sessionExternalId: idOf(event.sessionExternalId),
      externalId: idOf(event.externalId),
      author: nameOf(event.author),
      ...(event.model === undefined ? {} : { model: nameOf(event.model) }),
    }),
    evidence: ({ name, root, remote, keys }) => ({
      name: nameOf(name),
      ...(root === undefined ? {} : { root: nameOf(root) }),
      ...(remote === undefined ? {} : { remote: nameOf(remote) }),
      keys: keys.map(nameOf),
    }),
    state: (state) => {
      const texts: string[] = [];
      walk(state, (text) => {
        texts.push(text);
        return text;
      });
      const cleaned = cleanTexts(texts);
      let at = 0;
      return walk(state, (_text, isKey) => {
        const text = cleaned[at++] ?? '';
        return isKey ? text : withoutOwn(text);
      });
    },
  };
}

/** Gives every text of plain JSON, keys too, through `each`, always in the same order. */
function walk(value: unknown, each: (text: string, isKey: boolean) => string): unknown {
  if (typeof value === 'string') return each(value, false);
  if (Array.isArray(value)) return value.map((item) => walk(item, each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [each(key, true), walk(one, each)]),
  );
}
