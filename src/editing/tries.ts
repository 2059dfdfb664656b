import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';

import { formatRange, type IRange, peakIn } from '../memory/peak';
import type { Event, ICell, IOom, IReport } from '../protocol';
import { formatBytes } from '../text/format';
import type { IKernelMemory } from '../tokens';

/** Interval in milliseconds, and number, of checks for a kernel's events after a run. */
const WAIT_MS = 250;
const MAX_WAITS = 20;

/** Number of waits after which a failure without an event had another reason. */
const MAX_SILENT_WAITS = 8;

/** The peak memory of a run, and the capacity. */
interface IPeak extends IRange {
  readonly capacity_bytes: number | null;
}

/** A run of cells, watched from before its start. */
interface ITrial extends IDisposable {
  /**
   * Whether a cell has failed so far: `%run` shows the error of a script, and
   * continues.
   */
  readonly hasFailed: boolean;
  /** The report of its failure, once it arrives; `null`: there was none. */
  nextReport(): Promise<IReport | null>;
  /** Peak of the previously failed cell in this run; `null`: not measured. */
  peak(): Promise<IPeak | null>;
}

/**
 * Watch the next run of these cells.
 *
 * @param report - of the failure before
 * @param remedyId - an incomplete report is waited for until it offers this
 */
export function watchRun(
  memory: IKernelMemory,
  { cell_id, device_index }: IReport,
  cells: readonly string[],
  remedyId: string
): ITrial {
  let failure: IOom | null = null;
  const note = (_: IKernelMemory, event: Event): void => {
    if (event.type === 'oom' && cells.includes(event.cell_id ?? '')) {
      failure = event;
    }
  };
  const lastRun = (): ICell | undefined =>
    memory.state.runs.filter(run => run.cell_id === cell_id).pop();
  const before = lastRun()?.start_s ?? -Infinity;
  memory.eventReceived.connect(note);
  // More frequent readings give a narrower peak.
  const watching = memory.watch();
  return {
    isDisposed: false,
    get hasFailed() {
      return failure !== null;
    },
    nextReport: async () => {
      let report: IReport | null = null;
      if ((await waitFor(() => failure, MAX_SILENT_WAITS)) === null) {
        return report;
      }
      await waitFor(async () => {
        const { helper_id = '', report_id = '' } = failure ?? {};
        const reply = await memory.request('report', { helper_id, report_id });
        report = reply.report;
        const isThere = report?.remedies.some(({ id }) => id === remedyId);
        return isThere || report?.looking === false ? report : null;
      }, MAX_WAITS);
      return report;
    },
    peak: async () => {
      const run = await waitFor(() => {
        const last = lastRun();
        return last && last.start_s > before && last.end_s !== null
          ? last
          : null;
      }, MAX_WAITS);
      return run && peakOf(memory, run, device_index ?? 0);
    },
    dispose: () => {
      memory.eventReceived.disconnect(note);
      watching.dispose();
    }
  };
}

function peakOf(
  { state }: IKernelMemory,
  { memory }: ICell,
  deviceIndex: number
): IPeak | null {
  const ofDevice = memory.find(entry => entry.device_index === deviceIndex);
  const device = state.sample?.devices.find(
    ({ index }) => index === deviceIndex
  );
  const peak = ofDevice ? peakIn(ofDevice) : null;
  return peak && { ...peak, capacity_bytes: device?.capacity_bytes ?? null };
}

/** Sentence that a cell passes with a setting, and how close it came to the capacity. */
export function describeFit(
  setting: string,
  peak: IPeak | null,
  trans: TranslationBundle
): string {
  if (peak === null) {
    return trans.__('%1 fits.', setting);
  }
  const { capacity_bytes: capacity } = peak;
  const size = formatRange(peak, trans);
  const height =
    capacity === null
      ? size
      : `${size}${trans.__(' of ')}${formatBytes(capacity)}`;
  return trans.__('%1 fits: peak %2.', setting, height);
}

/** Poll for a result; `null`: none in time. */
async function waitFor<T>(
  look: () => T | null | Promise<T | null>,
  most: number
): Promise<T | null> {
  for (let waits = 0; waits < most; waits++) {
    const result = await look();
    if (result !== null) {
      return result;
    }
    await new Promise(resolve => setTimeout(resolve, WAIT_MS));
  }
  return null;
}
