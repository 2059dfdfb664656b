/**
 * What is known of one kernel: events reduce into one immutable state.
 */
import type {
  Event,
  ICell,
  IHistoryPoint,
  IOom,
  IReplies,
  ISample
} from '../protocol';
import { withPoints, withReading } from './history';
import { judge } from './level';
import { withRuns } from './runs';
import { type IShortage, shortageAtStart } from './shortage';
import type { IDeath, IMemoryState, OffReason, Phase } from './state';

/** After this long without a reading from a running cell, numbers are old. */
export const STALE_AFTER_MS = 3000;

/** After this many unanswered polls of a kernel at rest, numbers are old. */
export const STALE_AFTER_POLLS = 2;

export const INITIAL_STATE: IMemoryState = {
  phase: 'connecting',
  offReason: null,
  problem: null,
  hello: null,
  sample: null,
  sampleAt_ms: null,
  levels: {},
  isFilling: false,
  unansweredPolls: 0,
  cell: null,
  shortage: null,
  lastOom: null,
  lastReleased: null,
  warning: null,
  runs: [],
  history: {},
  death: null
};

/** What can happen to a state. */
export type Change =
  | { kind: 'phase'; phase: Exclude<Phase, 'off' | 'live'>; problem?: string }
  | { kind: 'off'; reason: OffReason }
  | { kind: 'attached'; reply: IReplies['attach']; now: number }
  | { kind: 'polled'; reply: IReplies['sample']; now: number }
  | { kind: 'unanswered' }
  | { kind: 'event'; event: Event; now: number }
  | {
      kind: 'recalled';
      runs: readonly ICell[];
      points: readonly IHistoryPoint[];
    }
  | { kind: 'died'; death: IDeath };

/**
 * The state after a change; the same object when nothing changed.
 *
 * Times are milliseconds of this page's clock: the kernel's may differ.
 */
export function reduce(state: IMemoryState, change: Change): IMemoryState {
  switch (change.kind) {
    case 'phase':
      return enter(state, change.phase, change.problem ?? null);
    case 'off':
      return { ...INITIAL_STATE, phase: 'off', offReason: change.reason };
    case 'attached':
      return attach(state, change.reply, change.now);
    case 'polled':
      return {
        ...hear(state, change.reply, change.now),
        unansweredPolls: 0
      };
    case 'unanswered':
      return { ...state, unansweredPolls: state.unansweredPolls + 1 };
    case 'event':
      return isOwn(state, change.event)
        ? take(state, change.event, change.now)
        : state;
    case 'recalled':
      return {
        ...state,
        runs: withRuns(change.runs, state.runs),
        history: withPoints(state.history, change.points)
      };
    case 'died':
      return { ...INITIAL_STATE, phase: 'disconnected', death: change.death };
  }
}

/** Whether an event belongs to the life that this state is about. */
export function isOwn(state: IMemoryState, event: Event): boolean {
  return event.life_id === lifeOf(state);
}

/** The life of the helper that answers, or `null` while none does. */
export function lifeOf({ phase, hello }: IMemoryState): string | null {
  return phase === 'live' ? (hello?.life_id ?? null) : null;
}

/** Whether a cell is running, as far as is known. */
export function isBusy(state: IMemoryState): boolean {
  return state.cell?.status === 'running' || state.sample?.busy === true;
}

/**
 * How old the numbers are, in milliseconds, when they are too old to be shown
 * as they are; `null` while they are fresh or there are none.
 */
export function staleness(state: IMemoryState, now: number): number | null {
  if (state.phase !== 'live' || state.sampleAt_ms === null) {
    return null;
  }
  const age = now - state.sampleAt_ms;
  const isStale = isBusy(state)
    ? age > STALE_AFTER_MS
    : state.unansweredPolls >= STALE_AFTER_POLLS;
  return isStale ? age : null;
}

/** Leaving `live` forgets numbers: none are shown that nobody measures. */
function enter(
  state: IMemoryState,
  phase: Phase,
  problem: string | null
): IMemoryState {
  return state.phase === phase && state.problem === problem
    ? state
    : { ...INITIAL_STATE, phase, problem, death: state.death };
}

function attach(
  state: IMemoryState,
  reply: IReplies['attach'],
  now: number
): IMemoryState {
  const sameLife =
    state.phase === 'live' && state.hello?.life_id === reply.hello.life_id;
  const before = sameLife ? state : INITIAL_STATE;
  const live: IMemoryState = {
    ...before,
    phase: 'live',
    hello: reply.hello,
    unansweredPolls: 0
  };
  return hear(live, reply, now);
}

/** What an answer tells: the last reading, and the running cell or the last one. */
function hear(
  state: IMemoryState,
  { sample, cell }: { sample: ISample | null; cell: ICell | null },
  now: number
): IMemoryState {
  const read = sample ? take(state, sample, now) : state;
  return cell ? { ...read, cell, runs: withRuns(read.runs, [cell]) } : read;
}

/** The state of a live link after an event of its life. */
export function take(
  state: IMemoryState,
  event: Event,
  now: number
): IMemoryState {
  switch (event.type) {
    case 'sample':
      return isNewer(state, event)
        ? {
            ...state,
            sample: event,
            sampleAt_ms: now,
            ...judge(state, event),
            unansweredPolls: 0,
            history: withReading(state.history, event)
          }
        : state;
    case 'cell':
      return {
        ...state,
        cell: event,
        shortage: shortageIn(state, event),
        runs: withRuns(state.runs, [event]),
        lastOom: unlessMended(state, event),
        warning: event.status === 'running' ? null : state.warning
      };
    case 'warning':
      return { ...state, warning: event };
    case 'oom':
      return { ...state, lastOom: event };
    case 'released':
      return {
        ...state,
        sample: withoutRelease(state.sample, event.release_id),
        lastReleased: event
      };
    case 'hello':
      return { ...state, hello: event };
    default:
      return state;
  }
}

/** A release that has ended waits no longer, whatever was read before. */
function withoutRelease(
  sample: ISample | null,
  releaseId: string
): ISample | null {
  return sample?.queued.includes(releaseId)
    ? { ...sample, queued: sample.queued.filter(id => id !== releaseId) }
    : sample;
}

/** At its start once; a cell that has ended lacks nothing any more. */
function shortageIn(
  { cell, runs, sample, shortage }: IMemoryState,
  event: ICell
): IShortage | null {
  if (event.status !== 'running') {
    return null;
  }
  return cell?.start_s === event.start_s
    ? shortage
    : shortageAtStart(event, runs, sample);
}

/** A failure is over when its cell has run to its end. */
function unlessMended({ lastOom }: IMemoryState, cell: ICell): IOom | null {
  const isMended =
    cell.status === 'ok' &&
    cell.cell_id !== null &&
    cell.cell_id === lastOom?.cell_id;
  return isMended ? null : lastOom;
}

/**
 * A reply may overtake an event, and a lease is renewed with the last reading:
 * neither an older nor a repeated reading makes the numbers any newer.
 */
function isNewer(state: IMemoryState, sample: { seq: number }): boolean {
  return state.sample === null || sample.seq > state.sample.seq;
}
