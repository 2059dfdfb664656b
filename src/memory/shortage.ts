/** The memory that a cell lacks before it runs, by the need of its last run. */
import type { ICell, ISample } from '../protocol';
import { type IRange, needIn } from './peak';

/** A run that needed more memory than is available now. */
export interface IShortage {
  readonly device_index: number;
  readonly needed: IRange;
  readonly headroom_bytes: number;
}

/**
 * The shortage of a cell by its last run; `null` if it is expected to fit.
 *
 * @param runs - those of this cell, oldest first
 */
export function shortageOf(
  runs: readonly ICell[],
  sample: ISample | null
): IShortage | null {
  const cell = runs[runs.length - 1];
  if (!cell || cell.status === 'running' || cell.status === 'error') {
    return null;
  }
  // A failed run also needed the memory that it did not get.
  const isWhole = cell.status === 'ok';
  const shortages = cell.memory.flatMap(memory => {
    const { device_index } = memory;
    const needed = needIn(memory);
    const device = sample?.devices.find(({ index }) => index === device_index);
    const headroom_bytes = device?.headroom_bytes ?? null;
    return needed !== null &&
      headroom_bytes !== null &&
      needed.least_bytes > headroom_bytes
      ? [
          {
            device_index,
            needed: isWhole ? needed : { ...needed, most_bytes: null },
            headroom_bytes
          }
        ]
      : [];
  });
  return shortages[0] ?? null;
}

/**
 * The shortage of a cell that starts now; also `null` if its last run failed or had
 * other code.
 */
export function shortageAtStart(
  { cell_id, source_crc32, start_s }: ICell,
  runs: readonly ICell[],
  sample: ISample | null
): IShortage | null {
  const before = runs.filter(
    run => run.cell_id === cell_id && run.start_s < start_s
  );
  const last = before[before.length - 1];
  return last?.status === 'ok' && last.source_crc32 === source_crc32
    ? shortageOf(before, sample)
    : null;
}
