import type { TranslationBundle } from '@jupyterlab/translation';

import { perKernel } from '../kernel/perkernel';
import { explain } from '../kernel/problem';
import { Observable } from '../observable';
import type { Event, IDryRun, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';
import type { Here } from './here';

/** What a dry run is asked for. */
export type DryRunArgs = Omit<RequestArgs<'dry_run'>, 'action'>;

const NOTHING: DryRunArgs = {
  sources: {},
  labels: {},
  gpu: '',
  report_id: null,
  agreed: false,
  largest_on_each: false,
  values_to: null
};

/**
 * The dry run of one kernel, the one that goes on or went on last: whoever asked for
 * it, everybody who shows it follows `changed`. Lives as long as its kernel.
 */
export class DryRun extends Observable {
  constructor(private readonly _memory: IKernelMemory) {
    super();
    _memory.eventReceived.connect(this._onEvent, this);
    _memory.stateChanged.connect(this._onState, this);
    _memory.disposed.connect(this.dispose, this);
  }

  /** How far it is; `null`: there was none. */
  get step(): IDryRun | null {
    return this._step;
  }

  /** The report whose edits it tries; `null`: none. */
  get reportId(): string | null {
    return this._args?.report_id ?? null;
  }

  /** The notebook that it is of; `null`: another page has begun it. */
  here: Here | null = null;

  get isGoing(): boolean {
    return this._onEnd !== null || this._step?.status === 'running';
  }

  /** Whether there is something to show: one that only asked first has nothing. */
  get isShown(): boolean {
    return this.isGoing || (this._step?.status ?? 'asking') !== 'asking';
  }

  /**
   * Begin, and resolve once it has ended, or asks first: never rejects.
   *
   * @returns a sentence why it did not begin; `null`: it did
   */
  async begin(
    args: DryRunArgs,
    trans: TranslationBundle
  ): Promise<string | null> {
    if (this.isGoing) {
      return trans.__('A dry run goes on in this kernel already.');
    }
    this._args = args;
    this._step = null;
    this._requestId = null;
    this._life = this._memory.state.hello?.life_id ?? null;
    const ended = new Promise<void>(resolve => {
      this._onEnd = resolve;
    });
    this.emit();
    try {
      await this._memory.request('dry_run', { ...args, action: 'begin' });
    } catch (reason) {
      this._end();
      return explain(reason, trans);
    }
    await ended;
    return null;
  }

  /** End it; a last event tells that. Never rejects. */
  async cancel(): Promise<void> {
    await this._memory
      .request('dry_run', { ...NOTHING, action: 'end' })
      .catch(() => {
        this._end();
      });
  }

  override dispose(): void {
    this._end();
    super.dispose();
  }

  private _onEvent(_: IKernelMemory, event: Event): void {
    if (event.type !== 'dry_run') {
      return;
    }
    if (event.request_id !== this._requestId) {
      if (this._requestId !== null || this._onEnd === null) {
        // Another page has begun it.
        this._args = this.here = this._step = null;
      }
      this._requestId = event.request_id;
    }
    // What is found by then is told with each step; what has ended keeps it.
    const found = event.found ?? this._step?.found ?? null;
    this._step = { ...event, found };
    this._life = event.life_id;
    if (event.status === 'running') {
      this.emit();
    } else {
      this._end();
    }
  }

  /** It ends with the helper that began it. */
  private _onState(): void {
    const { hello, phase } = this._memory.state;
    const isOther = hello !== null && hello.life_id !== this._life;
    if (this.isGoing && (isOther || phase === 'absent' || phase === 'off')) {
      this._step = null;
      this._end();
    }
  }

  private _end(): void {
    this._onEnd?.();
    this._onEnd = null;
    this.emit();
  }

  private _step: IDryRun | null = null;
  /** Of the helper that it is of. */
  private _life: string | null = null;
  private _args: DryRunArgs | null = null;
  private _requestId: string | null = null;
  /** Resolves what was begun here; `null`: nothing was, or it has ended. */
  private _onEnd: (() => void) | null = null;
}

/** The dry run of a kernel: each has one. */
export const dryRunOf = perKernel(memory => new DryRun(memory));
