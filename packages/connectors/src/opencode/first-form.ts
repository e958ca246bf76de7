/**
 * opencode's first form of a message (until mid 2025): parts inside it, times and models in its
 * `metadata`, tools as `tool-invocation`.
 *
 * Decides: how such parts read in today's form, so that the parser knows one form only.
 */
import {
  compactJson,
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  stringAt,
  valueAt,
} from '../json.ts';

export function partsOfFirstForm(info: JsonObject): readonly JsonObject[] {
  const times = objectAt(objectAt(info, 'metadata'), 'tool');
  return listAt(info, 'parts')
    .filter(isObject)
    .map((part, at) => {
      if (stringAt(part, 'type') !== 'tool-invocation') return part;
      return toolPart(objectAt(part, 'toolInvocation') ?? {}, times, at);
    });
}

function toolPart(call: JsonObject, times: JsonObject | undefined, at: number): JsonObject {
  const callID = stringAt(call, 'toolCallId') || `part-${at}`;
  const done = stringAt(call, 'state') === 'result';
  const about = objectAt(times, callID);
  const failed = valueAt(about, 'error') === true;
  const output = compactJson(valueAt(call, 'result'));
  return {
    type: 'tool',
    id: callID,
    callID,
    tool: stringAt(call, 'toolName'),
    state: {
      status: done ? (failed ? 'error' : 'completed') : 'running',
      input: valueAt(call, 'args'),
      output,
      error: output,
      time: { end: numberAt(objectAt(about, 'time'), 'end') },
    },
  };
}
