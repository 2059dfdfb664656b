import type { IDisposable } from '@lumino/disposable';

import { peakIn } from '../memory/peak';
import type { Event, ICell, IOom, IReport } from '../protocol';
import type { IKernelMemory } from '../tokens';
import type { IPeak } from './fit';

/** How often and how long is waited for what a kernel tells after a run. */
const WAIT_MS = 250;
const MAX_WAITS = 20;

/** A failure that nobody told of by then had another reason. */
const MAX_SILENT_WAITS = 8;

/** Watches for the next failure of cells for want of memory. */
export interface INextFailure extends IDisposable {
  /** Whether one was told of so far: `%run` shows the error of a script, and goes on. */
  readonly isKnown: boolean;
  /** Its report, once that is there; `null`: there was none. */
  report(): Promise<IReport | null>;
}

/**
 * Watch for the next failure of these cells, from before they run.
 *
 * @param remedyId - a report that is not complete is waited for until it offers this
 */
export function nextFailure(
  memory: IKernelMemory,
  cells: readonly string[],
  remedyId: string
): INextFailure {
  let last: IOom | null = null;
  const note = (_: IKernelMemory, event: Event): void => {
    if (event.type === 'oom' && cells.includes(event.cell_id ?? '')) {
      last = event;
    }
  };
  const ask = async (): Promise<IReport | null> => {
    if (last === null) {
      return null;
    }
    const { life_id, report_id } = last;
    const reply = await memory.request('report', { life_id, report_id });
    return reply.report;
  };
  memory.eventReceived.connect(note);
  return {
    isDisposed: false,
    get isKnown() {
      return last !== null;
    },
    dispose: () => {
      memory.eventReceived.disconnect(note);
    },
    report: async () => {
      let found: IReport | null = null;
      for (let waits = 0; waits < MAX_WAITS && !memory.isDisposed; waits++) {
        found = await ask();
        if (last === null && waits >= MAX_SILENT_WAITS) {
          break;
        }
        const isThere = found?.remedies.some(({ id }) => id === remedyId);
        if (isThere || found?.looking === false) {
          break;
        }
        await later();
      }
      return found;
    }
  };
}

/**
 * What the next run of a cell will have needed at most, watched from before it.
 */
export function peakOf(
  memory: IKernelMemory,
  cellId: string | null,
  deviceIndex: number | null
): { measured: () => Promise<IPeak | null> } {
  const lastRun = (): ICell | undefined =>
    memory.state.runs.filter(run => run.cell_id === cellId).pop();
  const before = lastRun()?.start_s ?? -Infinity;
  return {
    measured: async () => {
      for (let waits = 0; waits < MAX_WAITS; waits++) {
        const run = lastRun();
        if (run && run.start_s > before && run.end_s !== null) {
          return peakOfRun(memory, run, deviceIndex);
        }
        await later();
      }
      return null;
    }
  };
}

function peakOfRun(
  { state }: IKernelMemory,
  { memory }: ICell,
  deviceIndex: number | null
): IPeak | null {
  const found = memory.find(each => each.device_index === (deviceIndex ?? 0));
  const devices = state.sample?.devices ?? [];
  const device = devices.find(({ index }) => index === found?.device_index);
  const peak = found ? peakIn(found) : null;
  return peak && { ...peak, capacity_bytes: device?.capacity_bytes ?? null };
}

async function later(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, WAIT_MS));
}
