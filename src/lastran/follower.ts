import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { DocumentKernel, KernelFollower } from '../kernel/follower';
import { isLocked } from '../lab/locked';
import type { Event } from '../protocol';
import type { Settings } from '../settings';
import type { IGpuMemory } from '../tokens';
import { METADATA_KEY, readLastRan, sayLastRan, withRun } from './record';

interface IOptions {
  readonly panel: NotebookPanel;
  readonly memory: IGpuMemory;
  readonly settings: Settings;
  readonly trans: TranslationBundle;
  /** Tell the person. */
  readonly tell: (sentence: string) => void;
}

/**
 * Remembers in one notebook on which GPU it ran, and says so once for each life
 * of a kernel whose GPU is too small for it. Opening a notebook changes nothing.
 */
export class Follower {
  /** It goes with the notebook. */
  constructor(private readonly _options: IOptions) {
    const { panel, memory } = _options;
    panel.disposed.connect(this._stop, this);
    this._kernel = new KernelFollower(new DocumentKernel(panel, memory));
    this._kernel.changed.connect(this._onState, this);
    this._kernel.stateChanged.connect(this._onState, this);
    this._kernel.eventReceived.connect(this._onEvent, this);
    this._onState();
  }

  private _stop(): void {
    this._kernel.dispose();
    Signal.disconnectReceiver(this);
  }

  /** Say it before the first cell that needs the memory, and not again. */
  private _onState(): void {
    const { model } = this._options.panel;
    const state = this._kernel.current?.state;
    const devices = state?.sample?.devices ?? [];
    const life = state?.hello?.life_id ?? null;
    if (
      !model ||
      life === this._life ||
      life === null ||
      devices.length === 0
    ) {
      return;
    }
    this._life = life;
    const { settings, tell, trans } = this._options;
    const record = readLastRan(model.getMetadata(METADATA_KEY));
    const sentence = record && sayLastRan(record, devices, trans);
    if (sentence && settings.current.rememberGpu) {
      tell(sentence);
    }
  }

  private _onEvent({ current }: KernelFollower, event: Event): void {
    const { panel, settings } = this._options;
    const { model } = panel;
    if (
      event.type !== 'cell' ||
      !model ||
      isLocked(panel) ||
      !settings.current.rememberGpu
    ) {
      return;
    }
    const changed = withRun(
      model.getMetadata(METADATA_KEY),
      event,
      current?.state.sample?.devices ?? [],
      [...model.cells].map(({ id }) => id)
    );
    if (changed !== null) {
      model.setMetadata(METADATA_KEY, changed);
    }
  }

  private readonly _kernel: KernelFollower;
  /** The life of the helper for which nothing more is to be said. */
  private _life: string | null = null;
}
