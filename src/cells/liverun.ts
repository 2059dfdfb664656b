import type { ICell, ICellMemory, ISample } from '../protocol';
import { memorySince } from './badge';

/**
 * The run in progress: the helper sends readings meanwhile, and its totals at the end.
 */
export class LiveRun {
  /**
   * Handle the start or end of a cell.
   *
   * @param sample - the newest reading: at a start, that of the kernel at rest
   */
  follow(cell: ICell, sample: ISample | null): void {
    const isRunning = cell.status === 'running';
    this._cellId = isRunning ? cell.cell_id : null;
    this._start = isRunning ? sample : null;
    this._latest = null;
    this._highest.clear();
  }

  /** Handle a reading. */
  observe(sample: ISample | null): void {
    if (!sample || sample === this._start) {
      return;
    }
    this._latest = sample;
    for (const { index, in_use_bytes } of sample.devices) {
      const highest = this._highest.get(index) ?? 0;
      this._highest.set(index, Math.max(highest, in_use_bytes));
    }
  }

  /** The memory of a cell so far; `null` if it does not run or nothing was measured. */
  memory(cellId: string): ICellMemory[] | null {
    return cellId === this._cellId && this._start && this._latest
      ? memorySince(this._start, this._latest, this._highest)
      : null;
  }

  private readonly _highest = new Map<number, number>();
  private _cellId: string | null = null;
  private _start: ISample | null = null;
  private _latest: ISample | null = null;
}
