import { CELL } from '../../__tests__/samples';
import type { ICell } from '../../protocol';
import { withRuns } from '../runs';

const run = (cell_id: string | null, start_s: number): ICell => ({
  ...CELL,
  cell_id,
  start_s
});

describe('withRuns', () => {
  it('should keep the last three runs of a cell, oldest first', () => {
    const runs = [1, 2, 3, 4].reduce<readonly ICell[]>(
      (known, start_s) => withRuns(known, [run('a', start_s)]),
      []
    );
    expect(runs.map(({ start_s }) => start_s)).toEqual([2, 3, 4]);
  });

  it('should sort the runs of an unordered reply', () => {
    const [first, second] = [run('a', 1), run('a', 2)];
    expect(withRuns([second, first], [])).toEqual([first, second]);
  });

  it('should recognize a run by its start', () => {
    const started = { ...run('a', 1), status: 'running' as const, end_s: null };
    const ended = { ...started, status: 'ok' as const, end_s: 5 };
    expect(withRuns([started], [ended])).toEqual([ended]);
  });

  it('should keep a run only once, however often it is reported', () => {
    const [first, second] = [run('a', 1), { ...run('a', 1), run: 7 }];
    expect(withRuns([first], [second, run('b', 0)])).toEqual([
      run('b', 0),
      second
    ]);
    expect(withRuns([first, second], [run('b', 2)])).toEqual([
      second,
      run('b', 2)
    ]);
  });

  it('should drop a run without a reported end once a later one begins', () => {
    const lost = { ...run('a', 1), status: 'running' as const, end_s: null };
    expect(withRuns([lost], [run('b', 3)])).toEqual([run('b', 3)]);
    expect(withRuns([run('b', 0)], [lost])).toEqual([run('b', 0), lost]);
  });

  it('should keep runs of two hundred cells at most, the last ones', () => {
    const many = Array.from({ length: 250 }, (_, at) => run(`cell-${at}`, at));
    const runs = withRuns(many.slice(0, 100), many.slice(100));
    expect(runs).toHaveLength(200);
    expect(runs[0]?.cell_id).toBe('cell-50');
  });

  it('should insert late runs in order', () => {
    const runs = withRuns([run('a', 9)], [run('b', 3)]);
    expect(runs.map(({ cell_id }) => cell_id)).toEqual(['b', 'a']);
  });
});
