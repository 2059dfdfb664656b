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

/** Causes that have been logged: each is worth one line, not one per second. */
const logged = new Set<string>();

function warnOnce(sentence: string): void {
  if (!logged.has(sentence)) {
    logged.add(sentence);
    console.warn(`GPU Headroom: ${sentence}`);
  }
}

/** What is wrong with a value, without what it is: one cause reads alike each time. */
function flaw({ expected, path }: v.BaseIssue<unknown>): string {
  return path?.[0]?.origin === 'key' ? 'is missing' : `is not ${expected}`;
}

/** Where it is wrong, without positions in lists. */
function place(path: readonly v.IssuePathItem[]): string {
  return path
    .map(({ type, key }) => (type === 'array' ? '[]' : `.${String(key)}`))
    .join('');
}

/**
 * A message as its schema says; `null`, after one line in the log, when it is not.
 *
 * What came is used, not the copy that a schema makes: keys that are not known
 * are let through, so that a newer helper of the same major version is understood.
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

/**
 * Read an event; `null`, after one line in the log, when it is not one.
 */
export function parseEvent(data: unknown): Event | null {
  return read('event', EventSchema, data);
}

/**
 * Read the body of a reply; `null`, after one line in the log, when it is not one.
 */
export function parseReply(data: unknown): Reply | null {
  return read('answer', ReplySchema, data);
}

/**
 * Read the out-of-memory card of a notebook: a report, a stub, or `null`.
 */
export function parseReport(data: unknown): IReport | IStub | null {
  return v.is(ReportSchema, data) || v.is(StubSchema, data) ? data : null;
}
