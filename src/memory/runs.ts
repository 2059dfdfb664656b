/** The runs of cells kept by this front end, the same as the helper keeps. */
import type { ICell } from '../protocol';

/** Maximum number of runs kept of each cell. */
const MAX_RUNS = 3;

/** Maximum number of cells of which runs are kept. */
const MAX_CELLS = 200;

/** Add runs, oldest first; the latest event of a run replaces the earlier ones. */
export function withRuns(
  runs: readonly ICell[],
  added: readonly ICell[]
): readonly ICell[] {
  const earlier = runs.filter(run => !added.some(cell => isPast(run, cell)));
  const all = new Map([...earlier, ...added].map(run => [keyOf(run), run]));
  return bounded([...all.values()].sort((a, b) => a.start_s - b.start_s));
}

/** Key shared by the events of one run: its start, its end, and later measurements. */
function keyOf({ cell_id, start_s }: ICell): string {
  return JSON.stringify([cell_id, start_s]);
}

/** Whether a run must have ended, even without an event of its end. */
function isPast(run: ICell, later: ICell): boolean {
  return run.status === 'running' && run.start_s < later.start_s;
}

/** The last runs of the last cells. */
function bounded(runs: readonly ICell[]): ICell[] {
  const counts = new Map<string | null, number>();
  const latest = [...runs].reverse().filter(({ cell_id }) => {
    const count = counts.get(cell_id) ?? 0;
    const isKept = count < MAX_RUNS && (count > 0 || counts.size < MAX_CELLS);
    if (isKept) {
      counts.set(cell_id, count + 1);
    }
    return isKept;
  });
  return latest.reverse();
}
