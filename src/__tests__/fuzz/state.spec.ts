import { type IEnvelope, startOf } from '../../memory/history';
import { INITIAL_STATE } from '../../memory/model';
import type { IMemoryState } from '../../memory/state';
import { parseEvent, parseReply, parseReport } from '../../protocol';
import type { ICell } from '../../protocol';
import { howMany, Maker } from './maker';
import { HELPER_ID, statesOf } from './states';
import { unreadable, viewsOf, wordsOf } from './views';

const SURFACES_EVERY = 4;

/** Maximum length of a history, whatever is sent. */
const LONGEST = 3000;

describe('incoming messages', () => {
  let warn: jest.SpyInstance;
  let make: Maker;

  beforeEach(() => {
    warn = jest.spyOn(console, 'warn').mockImplementation();
    make = new Maker();
  });

  afterEach(() => {
    warn.mockRestore();
  });

  it.each([
    ['event', parseEvent],
    ['reply', parseReply]
  ])('should be parsed by the schema: each %s', (union, parse) => {
    const kinds = make.kinds(union);
    for (let count = howMany(2000); count > 0; count--) {
      const sent = make.valid(make.choice(kinds));
      expect(parse(sent)).toBe(sent);
    }
    expect(warn.mock.calls).toEqual([]);
  });

  it.each([
    ['event', parseEvent],
    ['reply', parseReply],
    ['report', parseReport]
  ])('should be examined without an error: each %s', (union, parse) => {
    const kinds = union === 'report' ? ['report', 'stub'] : make.kinds(union);
    let taken = 0;
    for (let count = howMany(3000); count > 0; count--) {
      const sent = make.happens(0.05)
        ? make.junk()
        : make.spoilt(make.valid(make.choice(kinds)));
      taken += parse(sent) === null ? 0 : 1;
    }
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(howMany(3000));
  });

  it('should leave a state that is valid and can be shown', () => {
    let state = INITIAL_STATE;
    let count = howMany(8000);
    let longest = 0;
    const problems: unknown[] = [];
    for (const { event, now, reply, ...next } of statesOf(make, count)) {
      state = next.state;
      problems.push(...faultsOf(state));
      longest = Math.max(longest, ...lengthsOf(state));
      if (event?.type === 'sample' && state.sample === event && !reply) {
        problems.push(...missingIn(state));
      }
      if (event) {
        problems.push(...unreadable(wordsOf(event, state)));
      }
      if (count-- % SURFACES_EVERY === 0) {
        problems.push(...unreadable(viewsOf(state, now)));
      }
    }
    expect([...new Set(problems)].slice(0, 20)).toEqual([]);
    expect(state.phase).toBe('live');
    // With few messages, few runs and points are left.
    const least = Math.min(3, howMany(8000) / 2000);
    expect(state.runs.length).toBeGreaterThan(least);
    expect(longest).toBeGreaterThan(least);
  });
});

/** Inconsistencies of a state, in words. */
function faultsOf(state: IMemoryState): string[] {
  const { history, runs } = state;
  const cells = runs.map(({ cell_id }) => cell_id);
  const perCell = [...new Set(cells)].map(
    id => cells.filter(each => each === id).length
  );
  const envelopes = Object.values(history);
  return Object.entries({
    'runs are out of order': !isSorted(runs.map(({ start_s }) => start_s)),
    'runs of a cell without end': perCell.some(count => count > 3),
    'runs of cells without end': perCell.length > 200,
    'a run twice': new Set(runs.map(runOf)).size !== runs.length,
    'the history is out of order': !envelopes.every(each =>
      isSorted(each.map(({ time_s }) => time_s))
    ),
    'the history is too long': lengthsOf(state).some(each => each > LONGEST),
    'a stretch twice': !envelopes.every(areApart),
    'numbers of another helper': isForeign(state)
  }).flatMap(([fault, isThere]) => (isThere ? [fault] : []));
}

/** Devices of the newest reading that are missing in the history. */
function missingIn({ history, sample }: IMemoryState): unknown[] {
  const time_s = sample?.time_s ?? 0;
  return (sample?.devices ?? []).filter(({ index }) => {
    const last = history[index]?.[history[index].length - 1];
    return (
      !last || startOf(last) > time_s || startOf(last) + last.width_s < time_s
    );
  });
}

function lengthsOf({ history }: IMemoryState): number[] {
  return Object.values(history).map(({ length }) => length);
}

/** Whether each envelope begins no earlier than the one before. */
function areApart(envelopes: readonly IEnvelope[]): boolean {
  return isSorted(envelopes.map(startOf));
}

function isForeign({ phase, hello, sample }: IMemoryState): boolean {
  return phase !== 'live' || hello?.helper_id !== HELPER_ID
    ? sample !== null
    : sample !== null && sample.seq < 0;
}

function isSorted(values: readonly number[]): boolean {
  return values.every((value, n) => n === 0 || value >= (values[n - 1] ?? 0));
}

function runOf({ cell_id, start_s }: ICell): string {
  return JSON.stringify([cell_id, start_s]);
}
