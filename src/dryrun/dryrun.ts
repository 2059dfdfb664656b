import type { TranslationBundle } from '@jupyterlab/translation';

import { perKernel } from '../kernel/perkernel';
import { explain } from '../kernel/problem';
import { Observable } from '../observable';
import type { Event, IDryRun, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';
import type { Here } from './here';

/** Arguments of a dry run. */
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
 * The current or last dry run of one kernel, whichever front end requested it; all
 * views follow `changed`. Exists as long as its kernel.
 */
export class DryRun extends Observable {
  constructor(private readonly _memory: IKernelMemory) {
    super();
    _memory.eventReceived.connect(this._onEvent, this);
    _memory.stateChanged.connect(this._onState, this);
    _memory.disposed.connect(this.dispose, this);
  }

  /** The latest step; `null`: there was none. */
  get step(): IDryRun | null {
    return this._step;
  }

  /** The report whose edits it tries; `null`: none. */
  get reportId(): string | null {
    return this._args?.report_id ?? null;
  }

  /** The notebook of the dry run; `null`: another front end started it. */
  here: Here | null = null;

  get isGoing(): boolean {
    return this._onEnd !== null || this._step?.status === 'running';
  }

  /**
   * Whether there is something to show; not if it ended with a request for
   * confirmation.
   */
  get isShown(): boolean {
    return this.isGoing || (this._step?.status ?? 'asking') !== 'asking';
  }

  /**
   * Start, and resolve once it has ended or asks for confirmation. Never rejects.
   *
   * @returns a sentence on why it did not start; `null`: it did
   */
  async begin(
    args: DryRunArgs,
    trans: TranslationBundle
  ): Promise<string | null> {
    if (this.isGoing) {
      return trans.__('A dry run is already running in this kernel.');
    }
    this._args = args;
    this._step = null;
    this._requestId = null;
    this._helperId = this._memory.state.hello?.helper_id ?? null;
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

  /** Stop it; a last event reports the end. Never rejects. */
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
        // Another front end started it.
        this._args = this.here = this._step = null;
      }
      this._requestId = event.request_id;
    }
    // Each step includes the results so far; the end keeps the last ones.
    const found = event.found ?? this._step?.found ?? null;
    this._step = { ...event, found };
    this._helperId = event.helper_id;
    if (event.status === 'running') {
      this.emit();
    } else {
      this._end();
    }
  }

  /** End it when the helper that started it is gone. */
  private _onState(): void {
    const { hello, phase } = this._memory.state;
    const isOther = hello !== null && hello.helper_id !== this._helperId;
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
  /** Id of the helper that runs it. */
  private _helperId: string | null = null;
  private _args: DryRunArgs | null = null;
  private _requestId: string | null = null;
  /** Resolves the promise of `begin`; `null`: nothing started here, or it has ended. */
  private _onEnd: (() => void) | null = null;
}

/** The dry run of a kernel; one each. */
export const dryRunOf = perKernel(memory => new DryRun(memory));
