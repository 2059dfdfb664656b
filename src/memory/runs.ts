/**
 * The runs of cells that are remembered, as the helper remembers them.
 */
import type { ICell } from '../protocol';

/** Runs kept of each cell. */
const MAX_RUNS = 3;

/** Cells of which runs are kept. */
const MAX_CELLS = 200;

/**
 * The runs with others added, oldest first; of the same run the last told counts.
 */
export function withRuns(
  runs: readonly ICell[],
  added: readonly ICell[]
): readonly ICell[] {
  const others = runs.filter(run => !added.some(each => isPast(run, each)));
  const all = new Map([...others, ...added].map(run => [keyOf(run), run]));
  return bounded([...all.values()].sort((a, b) => a.start_s - b.start_s));
}

/** What events of the same run share: its start, its end, what was found later. */
function keyOf({ cell_id, start_s }: ICell): string {
  return JSON.stringify([cell_id, start_s]);
}

/** Whether a run cannot go on any more, though nobody said that it ended. */
function isPast(run: ICell, later: ICell): boolean {
  return run.status === 'running' && run.start_s < later.start_s;
}

/** The last runs of the last cells. */
function bounded(runs: readonly ICell[]): ICell[] {
  const counts = new Map<string | null, number>();
  const kept = [...runs].reverse().filter(({ cell_id }) => {
    const count = counts.get(cell_id) ?? 0;
    const isKept = count < MAX_RUNS && (count > 0 || counts.size < MAX_CELLS);
    if (isKept) {
      counts.set(cell_id, count + 1);
    }
    return isKept;
  });
  return kept.reverse();
}
