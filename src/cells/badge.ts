/** Content of a cell's badge: a pure function of its runs. */
import type { ICell, ICellMemory, ISample } from '../protocol';
import { MIB } from '../text/format';

/** Smallest change that is shown. */
const WORTH_BYTES = 10 * MIB;

/** Number of runs that the details list. */
const LISTED_RUNS = 3;

/** Content of the badge of one cell. */
export interface IBadge {
  readonly kind: 'running' | 'change' | 'grows' | 'oom';
  readonly cell: ICell;
  /** The device that changed most; `null`: no change is large enough to show. */
  readonly memory: ICellMemory | null;
  /** Peak use of workers; 0: too small to show. */
  readonly workers_bytes: number;
  /** Whether the kernel has several devices, so that one must be named. */
  readonly hasSeveral: boolean;
  /** Whether the cell has other code now than what ran. */
  readonly isEdited: boolean;
  /** Changes of the last runs on this device, the newest first. */
  readonly changes: readonly number[];
}

/**
 * The badge of a cell; `null` if there is nothing to show.
 *
 * @param runs - the runs of this cell, oldest first
 * @param now - of a running cell, its memory up to the newest reading
 * @param all - the runs of all cells
 * @param isEdited - whether the cell has other code now
 */
export function readBadge(
  runs: readonly ICell[],
  now: readonly ICellMemory[] | null,
  all: readonly ICell[] = runs,
  isEdited = false
): IBadge | null {
  const cell = runs[runs.length - 1];
  if (!cell) {
    return null;
  }
  const isRunning = cell.status === 'running';
  const devices = isRunning ? (now ?? cell.memory) : cell.memory;
  const most = mostChanged(devices);
  const memory = most && isWorthy(cell, most, all) ? most : null;
  const workers_bytes = worthyOf(cell.workers_bytes);
  if (!memory && workers_bytes === 0) {
    return null;
  }
  return {
    kind: kindOf(cell),
    cell,
    memory,
    workers_bytes,
    hasSeveral: devices.length > 1,
    isEdited,
    changes: memory ? changesOf(runs, memory.device_index) : []
  };
}

/** Whether the change of a device by a run is large enough to show. */
function isWorthy(
  cell: ICell,
  memory: ICellMemory,
  all: readonly ICell[]
): boolean {
  switch (kindOf(cell)) {
    case 'change':
      return (
        hasChanged(memory) || !!memory.ooms || isHighest(cell, memory, all)
      );
    case 'running':
      return hasChanged(memory);
    default:
      return true;
  }
}

/** A size if it is large enough to show, else 0. */
function worthyOf(bytes: number | null): number {
  return bytes !== null && bytes >= WORTH_BYTES ? bytes : 0;
}

/**
 * The memory of a running cell: the newest reading compared with its first.
 *
 * @param highest - the highest in use so far, by device index
 */
export function memorySince(
  start: ISample,
  latest: ISample,
  highest: ReadonlyMap<number, number>
): ICellMemory[] {
  return latest.devices.map(device => {
    const before = start.devices.find(({ index }) => index === device.index);
    const begun = before?.in_use_bytes ?? 0;
    const peak = Math.max(highest.get(device.index) ?? 0, device.in_use_bytes);
    return {
      device_index: device.index,
      change_bytes: device.in_use_bytes - begun,
      peak_bytes: peak,
      peak_at_most_bytes: null,
      needed_bytes: Math.max(0, peak - begun),
      alloc_retries: null,
      ooms: null
    };
  });
}

function kindOf({ growth, status }: ICell): IBadge['kind'] {
  if (status === 'running' || status === 'oom') {
    return status;
  }
  return growth ? 'grows' : 'change';
}

/** Whether no run before had a peak as high. */
function isHighest(
  { start_s }: ICell,
  { device_index, needed_bytes, peak_bytes }: ICellMemory,
  all: readonly ICell[]
): boolean {
  const isBeaten = (memory: ICellMemory): boolean =>
    memory.device_index === device_index &&
    (memory.peak_at_most_bytes ?? 0) >= (peak_bytes ?? 0);
  return (
    (needed_bytes ?? 0) >= WORTH_BYTES &&
    !all.some(run => run.start_s < start_s && run.memory.some(isBeaten))
  );
}

function hasChanged({ change_bytes }: ICellMemory): boolean {
  return Math.abs(change_bytes ?? 0) >= WORTH_BYTES;
}

function mostChanged(devices: readonly ICellMemory[]): ICellMemory | null {
  const size = ({ change_bytes, needed_bytes, ooms }: ICellMemory): number =>
    ooms ? Infinity : Math.max(Math.abs(change_bytes ?? 0), needed_bytes ?? 0);
  return devices.reduce<ICellMemory | null>(
    (most, memory) => (most && size(most) >= size(memory) ? most : memory),
    null
  );
}

function changesOf(runs: readonly ICell[], index: number): number[] {
  return runs
    .filter(({ status }) => status !== 'running')
    .slice(-LISTED_RUNS)
    .reverse()
    .flatMap(({ memory }) => {
      const ofDevice = memory.find(entry => entry.device_index === index);
      const change = ofDevice?.change_bytes ?? null;
      return change === null ? [] : [change];
    });
}
