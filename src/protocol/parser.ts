import * as v from 'valibot';

import {
  type Event,
  EventSchema,
  type IReport,
  type IStub,
  type Reply,
  ReplySchema,
  ReportSchema,
  StubSchema
} from './generated/wire';

/** Problems already logged: each is logged once, not once per second. */
const logged = new Set<string>();

function warnOnce(sentence: string): void {
  if (!logged.has(sentence)) {
    logged.add(sentence);
    console.warn(`GPU Headroom: ${sentence}`);
  }
}

/**
 * Describe the problem of a value without the value, so that one problem has one text.
 */
function flaw({ expected, path }: v.BaseIssue<unknown>): string {
  return path?.[0]?.origin === 'key' ? 'is missing' : `is not ${expected}`;
}

/** Path of the problem, without positions in lists. */
function place(path: readonly v.IssuePathItem[]): string {
  return path
    .map(({ type, key }) => (type === 'array' ? '[]' : `.${String(key)}`))
    .join('');
}

/**
 * Parse a message by its schema; `null`, after one line in the log, if it is invalid.
 *
 * Returns the message itself, not the schema's copy: unknown keys are kept, so that a
 * newer helper of the same major version is supported.
 */
function read<T extends { type: string }>(
  kind: string,
  schema: v.GenericSchema<T>,
  data: unknown
): T | null {
  if (v.is(schema, data)) {
    return data;
  }
  const { issues } = v.safeParse(schema, data, {
    abortEarly: true,
    message: flaw
  });
  const issue = issues?.[0];
  if (issue?.type === 'variant') {
    warnOnce(`an ${kind} of an unknown type was ignored.`);
  } else if (issue) {
    const where = (data as T).type + place(issue.path ?? []);
    warnOnce(`a malformed ${kind} was ignored: ${where} ${issue.message}.`);
  }
  return null;
}

/** Parse an event; `null`, after one line in the log, if it is invalid. */
export function parseEvent(data: unknown): Event | null {
  return read('event', EventSchema, data);
}

/** Parse the body of a reply; `null`, after one line in the log, if it is invalid. */
export function parseReply(data: unknown): Reply | null {
  return read('answer', ReplySchema, data);
}

/** Parse the out-of-memory report of a notebook: a report, a stub, or `null`. */
export function parseReport(data: unknown): IReport | IStub | null {
  return v.is(ReportSchema, data) || v.is(StubSchema, data) ? data : null;
}
