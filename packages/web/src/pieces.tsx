/**
 * Pieces that several views share: failures, highlighted text, parts of a message.
 */
import type { Part } from '@quipu/store';
import type { ApiFailure } from './api.ts';
import { firstLine, markMatches, safeText } from './format.ts';

export function Failure({ error, retry }: { error: ApiFailure; retry: () => void }) {
  return (
    <div class="notice" role="alert">
      <p>{error.message}</p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="quiet" role="status">
      {what}…
    </p>
  );
}

export function Marked({ text, stems }: { text: string; stems: readonly string[] }) {
  const pieces = markMatches(safeText(text), stems);
  return (
    <>
      {pieces.map((piece, at) =>
        piece.hit ? <mark key={at}>{piece.text}</mark> : <span key={at}>{piece.text}</span>,
      )}
    </>
  );
}

const SHOWN_CHARS_MAX = 20_000;

function LongText({ text }: { text: string }) {
  const shown = text.length > SHOWN_CHARS_MAX ? text.slice(0, SHOWN_CHARS_MAX) : text;
  const left = text.length - shown.length;
  return (
    <>
      <div class="prose">{safeText(shown)}</div>
      {left > 0 ? (
        <p class="quiet">… {left.toLocaleString()} more characters; ‘quipu show’ prints all.</p>
      ) : null}
    </>
  );
}

/** A tool call with its result where the next message holds it. */
export function PartBlock({ part, open }: { part: Part; open: boolean }) {
  switch (part.type) {
    case 'text':
      return <LongText text={part.text} />;
    case 'reasoning':
      return (
        <details class="fold" open={open}>
          <summary>Reasoning: {firstLine(part.text, 80)}</summary>
          <LongText text={part.text} />
        </details>
      );
    case 'tool_call':
      return (
        <details class="fold call" open={open}>
          <summary>
            <b>{safeText(part.tool)}</b> {firstLine(part.input, 100)}
          </summary>
          <pre>{safeText(part.input.slice(0, SHOWN_CHARS_MAX))}</pre>
        </details>
      );
    case 'tool_result':
      return (
        <details class={part.isError ? 'fold result failed' : 'fold result'} open={open}>
          <summary>
            <b>
              {safeText(part.tool)} {part.isError ? 'failed' : 'gave'}
            </b>{' '}
            {firstLine(part.text, 100)}
          </summary>
          <pre>{safeText(part.text.slice(0, SHOWN_CHARS_MAX))}</pre>
        </details>
      );
    case 'image_ref':
      return <p class="quiet">[image {safeText(part.mediaType)}]</p>;
  }
}
