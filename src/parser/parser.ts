import type { Event, IReport, IStub, Reply } from '../protocol';
import { type Check, isObject } from '../shape';
import { ofEarlyHelper } from './early';
import { EVENTS } from './event';
import { REPLIES } from './reply';
import { report, stub, stubKeys } from './report';

/** Causes that have been logged: each is worth one line, not one per second. */
const logged = new Set<string>();

function warnOnce(sentence: string): null {
  if (!logged.has(sentence)) {
    logged.add(sentence);
    console.warn(`GPU Headroom: ${sentence}`);
  }
  return null;
}

function parse(
  kind: string,
  checks: Record<string, Check<unknown>>,
  data: unknown
): unknown {
  const type = isObject(data) ? data.type : undefined;
  const check = Object.entries(checks).find(([key]) => key === type)?.[1];
  if (!check) {
    return warnOnce(`an ${kind} of an unknown type was ignored.`);
  }
  const problem = check(data, String(type));
  return problem
    ? warnOnce(`a malformed ${kind} was ignored: ${problem}.`)
    : data;
}

/**
 * Read an event; `null`, after one line in the log, when it is not one.
 */
export function parseEvent(data: unknown): Event | null {
  return parse('event', EVENTS, data) as Event | null;
}

/**
 * Read the body of a reply; `null`, after one line in the log, when it is not one.
 */
export function parseReply(data: unknown): Reply | null {
  return parse('answer', REPLIES, data) as Reply | null;
}

/**
 * Read the out-of-memory card of a notebook: a report, a stub, or `null`.
 */
export function parseReport(data: unknown): IReport | IStub | null {
  for (const read of [data, ofEarlyHelper(data)]) {
    if (report(read, 'report') === null) {
      return read as IReport;
    }
  }
  const keys = isObject(data) ? Object.keys(data).length : 0;
  const onlyStub = keys === Object.keys(stubKeys).length;
  return onlyStub && stub(data, 'stub') === null ? (data as IStub) : null;
}
