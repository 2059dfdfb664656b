import type { Kernel } from '@jupyterlab/services';
import { UUID } from '@lumino/coreutils';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import {
  type IRequests,
  PROTOCOL_VERSION,
  type Reply,
  type RequestArgs
} from '../protocol';
import type { Settings } from '../settings';
import { HelperChannel } from './channel';

/** On control a reply takes milliseconds, unless a cell holds the interpreter. */
const TIMEOUT_MS = 10_000;

/** Requests that carry the id of this front end. */
const NAMING: readonly (keyof IRequests)[] = ['attach', 'detach', 'sample'];

/**
 * This front end as a client of one kernel's helper: the requests it sends and their
 * arguments.
 */
export class HelperClient {
  constructor(
    kernel: Kernel.IKernelConnection,
    private readonly _settings: Settings
  ) {
    this.channel = new HelperChannel(kernel);
  }

  readonly channel: HelperChannel;

  dispose(): void {
    this.channel.dispose();
  }

  /**
   * Whether this front end shows the kernel, for example as that of the focused
   * document.
   */
  isShown = false;

  /**
   * Whether the kernel's readings are displayed; helpers of other kernels send only the
   * start and end of cells.
   */
  get isLooking(): boolean {
    return !document.hidden && (this.isShown || this._watchers > 0);
  }

  /** Request the fast rate, from the next attach on, until disposed. */
  watch(): IDisposable {
    this._watchers++;
    return new DisposableDelegate(() => {
      this._watchers--;
    });
  }

  /** Start or renew the lease with the current settings. */
  attach(): Promise<Reply | null> {
    const settings = this._settings.current;
    return this.ask('attach', {
      visible: this.isLooking,
      rate_hz: this._watchers > 0 ? settings.watchedRate : settings.rate,
      options: {
        mark_cells: settings.markCells,
        keep_reports: settings.keepReports,
        name_others: settings.nameOthers,
        record_allocations: settings.recordAllocations,
        after_oom: settings.afterOom,
        measure_workers: settings.measureWorkers
      }
    });
  }

  /**
   * Send a request.
   *
   * @returns the reply, or `null` if the kernel has no helper
   * @throws `NoAnswer`, `NotUnderstood`
   */
  ask<K extends keyof IRequests>(
    type: K,
    args: RequestArgs<K>,
    timeout_ms = TIMEOUT_MS
  ): Promise<Reply | null> {
    const request = {
      ...args,
      type,
      id: UUID.uuid4(),
      protocol_version: PROTOCOL_VERSION,
      ...(NAMING.includes(type) ? { client_id: this._id } : {})
    };
    // The compiler cannot infer that these are the parts that `RequestArgs` omits.
    return this.channel.send(request as unknown as IRequests[K], timeout_ms);
  }

  private readonly _id = UUID.uuid4();
  private _watchers = 0;
}
