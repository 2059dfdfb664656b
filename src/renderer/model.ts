import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { explain } from '../kernel/problem';
import type { Task } from '../kernel/task';
import { nameStopping } from '../lab/notice';
import { helperOf } from '../memory/model';
import type { End, Work } from '../memory/work';
import type { Event, IStub } from '../protocol';
import { startsWhen } from '../release/queue';
import type { ReleaseSession } from '../release/session';
import {
  type IReportPort,
  type IWorking,
  ReportSession
} from '../report/session';
import type { ITried, RemedyState } from '../report/state';
import { words } from '../text/messages';
import type { IKernelMemory } from '../tokens';

/** The session of one report on the link to its kernel; disposed with the link. */
export class ReportModel extends ReportSession {
  constructor(
    releases: ReleaseSession,
    { helper_id, report_id }: Pick<IStub, 'helper_id' | 'report_id'>,
    private readonly _trans: TranslationBundle
  ) {
    const { memory } = releases;
    const onChange = (): void => {
      if (this.trust !== 'confirmed') {
        this._runs = {};
      }
      this.changed.emit();
    };
    super(
      portOf(releases, _trans, onChange),
      { helper_id, report_id },
      words(_trans),
      onChange
    );
    this.memory = memory;
    memory.stateChanged.connect(this._onState, this);
    memory.eventReceived.connect(this._onEvent, this);
    memory.disposed.connect(this.dispose, this);
    this._onState();
  }

  readonly memory: IKernelMemory;

  /**
   * Ids of the cells that a fix runs, by remedy id, as far as requested since the
   * helper confirmed the report.
   */
  get runs(): Readonly<Record<string, readonly string[]>> {
    return this._runs;
  }

  setRun(remedyId: string, cellIds: readonly string[]): void {
    this._runs = { ...this._runs, [remedyId]: cellIds };
    this.changed.emit();
  }

  /** Results of trying its edits; `null`: they were not tried. */
  get tried(): ITried | null {
    return this._tried;
  }

  setTried(tried: ITried | null): void {
    this._tried = tried;
    this.changed.emit();
  }

  /** Show a remedy as in progress until a task of the kernel has ended. */
  waitFor<K extends Work>(
    remedyId: string,
    task: Task<K>,
    going: string
  ): Promise<End<K>> {
    const onChange = (): void => {
      this.changed.emit();
    };
    const working = workingOf(this.memory, task, going, this._trans, onChange);
    return this.wait(remedyId, working);
  }

  /** Rerender the outputs that show the report. */
  refresh(): void {
    this.changed.emit();
  }

  readonly changed = new Signal<this, void>(this);

  dispose(): void {
    this.follow(null);
    Signal.clearData(this);
  }

  /**
   * Return true once, soon after the cell ran out of memory; the report is not news
   * when a page is reloaded or shows it again.
   */
  takeNews(): boolean {
    const isNews = this._isNews();
    this._told ||= isNews;
    return isNews;
  }

  private _isNews(): boolean {
    return !this._told && isLatest(this.memory, this.reportId);
  }

  private _onState(): void {
    const { state } = this.memory;
    const { phase } = state;
    this.follow(
      helperOf(state),
      phase === 'connecting' || phase === 'starting'
    );
    if (this._isNews()) {
      this.changed.emit();
    }
  }

  private _onEvent(_: IKernelMemory, event: Event): void {
    this.onEvent(event);
  }

  private _told = false;
  private _tried: ITried | null = null;
  private _runs: Readonly<Record<string, readonly string[]>> = {};
}

/** @param onChange - called when a release waits, or has ended */
function portOf(
  releases: ReleaseSession,
  trans: TranslationBundle,
  onChange: () => void
): IReportPort {
  const { memory } = releases;
  return {
    request: (type, args) => memory.request(type, args),
    perform: (_, args) => {
      const release = releases.begin(args);
      const going = trans.__('Freeing GPU memory…');
      return workingOf(memory, release, going, trans, onChange);
    },
    isLatest: reportId => isLatest(memory, reportId),
    explain: reason => explain(reason, trans)
  };
}

/**
 * A task in the form that a remedy shows.
 *
 * @param onChange - called when the task waits, continues, or has ended
 */
function workingOf<K extends Work>(
  memory: IKernelMemory,
  task: Task<K>,
  going: string,
  trans: TranslationBundle,
  onChange: () => void
): IWorking<End<K>> {
  task.changed.connect(onChange);
  return {
    ended: task.ended,
    get state(): RemedyState {
      switch (task.step) {
        case 'waiting':
          return { status: 'waiting', text: startsWhen(memory.state, trans) };
        case 'stopping':
          return { status: 'running', text: nameStopping(trans) };
        default:
          return { status: 'running', text: going, canStop: true };
      }
    },
    cancel: () => void task.cancel()
  };
}

function isLatest({ state }: IKernelMemory, reportId: string): boolean {
  return state.lastOom?.report_id === reportId;
}
