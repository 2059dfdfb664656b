/** State of one kernel: events are reduced into one immutable object. */
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

/** Numbers are stale after this long without a reading from a running cell. */
export const STALE_AFTER_MS = 3000;

/** Numbers are stale after this many unanswered polls of a kernel at rest. */
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

/** A change of the state. */
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
 * Return the state after a change; the same object if nothing changed.
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

/** Whether an event is from the helper of this state. */
export function isOwn(state: IMemoryState, event: Event): boolean {
  return event.helper_id === helperOf(state);
}

/** Id of the helper that replies; `null` while none does. */
export function helperOf({ phase, hello }: IMemoryState): string | null {
  return phase === 'live' ? (hello?.helper_id ?? null) : null;
}

/** Whether a cell is known to be running. */
export function isBusy(state: IMemoryState): boolean {
  return state.cell?.status === 'running' || state.sample?.busy === true;
}

/**
 * Age of stale numbers in milliseconds; `null` while they are fresh or there are none.
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

/** Enter a phase. Leaving `live` drops the numbers, since none are measured any more. */
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
  const isSameHelper =
    state.phase === 'live' && state.hello?.helper_id === reply.hello.helper_id;
  const before = isSameHelper ? state : INITIAL_STATE;
  const live: IMemoryState = {
    ...before,
    phase: 'live',
    hello: reply.hello,
    unansweredPolls: 0
  };
  return hear(live, reply, now);
}

/** Update the state from a reply: the last reading, and the running or last cell. */
function hear(
  state: IMemoryState,
  { sample, cell }: { sample: ISample | null; cell: ICell | null },
  now: number
): IMemoryState {
  const read = sample ? take(state, sample, now) : state;
  return cell ? { ...read, cell, runs: withRuns(read.runs, [cell]) } : read;
}

/** Return the state of a live link after an event of its helper. */
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
        lastOom: unresolvedOom(state, event),
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

/**
 * Return the state without a waiting release; one that ended no longer waits, whatever
 * was read before.
 */
function withoutRelease(
  sample: ISample | null,
  releaseId: string
): ISample | null {
  return sample?.queued.includes(releaseId)
    ? { ...sample, queued: sample.queued.filter(id => id !== releaseId) }
    : sample;
}

/** The shortage, set once at the start of a cell; a cell that ended has none. */
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

/** The last failure; `null` once its cell has succeeded. */
function unresolvedOom({ lastOom }: IMemoryState, cell: ICell): IOom | null {
  const isMended =
    cell.status === 'ok' &&
    cell.cell_id !== null &&
    cell.cell_id === lastOom?.cell_id;
  return isMended ? null : lastOom;
}

/**
 * Whether a reading is newer. A reply may overtake an event, and renewing a lease
 * repeats the last reading; neither makes the numbers newer.
 */
function isNewer(state: IMemoryState, sample: { seq: number }): boolean {
  return state.sample === null || sample.seq > state.sample.seq;
}
