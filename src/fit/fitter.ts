import type { NotebookPanel } from '@jupyterlab/notebook';
import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';

import { type IAppliedEdit, revert } from '../editing/edit';
import type { Files } from '../editing/files';
import { findFix, type IFix, makeFix } from '../editing/fix';
import { runCells } from '../editing/run';
import { explain } from '../kernel/problem';
import type { Task } from '../kernel/task';
import { lifeOf } from '../memory/model';
import { RELEASED_ITEMS } from '../memory/released';
import type { Work } from '../memory/work';
import { Observable } from '../observable';
import type { IEdit, IMessage, IReport } from '../protocol';
import type { ReleaseSession } from '../release/session';
import { words } from '../text/messages';
import { askCost, Consent, type ICost, sourcesAfter } from './cost';
import { FIT_START, type FitEvent, fitting, type IFit } from './fit';
import { nextFailure, peakOf } from './tries';

/** What an edit that is to run is about, and what it needs. */
export interface IFitParts {
  readonly session: ReleaseSession;
  readonly panel: NotebookPanel;
  readonly report: IReport;
  readonly remedyId: string;
  readonly files: Files;
  readonly translator: ITranslator;
  /** Run it once, however that ends, and look for no further edit. */
  readonly once: boolean;
  /** Ask a person for what it costs; resolves to whether to go on. */
  readonly agree: (cost: ICost) => Promise<boolean>;
  /** Edits of the first try that are known to fit, in the place of the helper's. */
  readonly known?: readonly IEdit[];
  /** Why the edit that was found is not to be made. */
  readonly object?: (fix: IFix) => string | null;
}

/** The kernels in which one is on its way: no two at a time. */
const busy = new WeakSet();

/**
 * Applies the edit of a remedy and runs its cells: once, or again and again while
 * the next failure offers the same remedy. Nothing else than its edits is changed,
 * and nothing of the person's is freed but what they agreed to, right before a run.
 */
export class Fitter extends Observable {
  constructor(private readonly _parts: IFitParts) {
    super();
    this._trans = _parts.translator.load('gpu-headroom');
    this._report = _parts.report;
  }

  get fit(): IFit {
    return this._fit;
  }

  /** Whether all is done that an end asks for. */
  get isDone(): boolean {
    return this._isDone;
  }

  /** Whether it waits for a running cell to end. */
  get isWaiting(): boolean {
    return this._task?.step === 'waiting';
  }

  /** The edit of the present try, once it is made. */
  get made(): IFix | null {
    return this._made;
  }

  /** Whether there is something to take back. */
  get hasChanged(): boolean {
    return this._changes.length > 0;
  }

  /** Whether another is on its way in this kernel. */
  get isBusy(): boolean {
    return busy.has(this._parts.session.memory);
  }

  /** Go on to the end. Never rejects. */
  async run(): Promise<void> {
    const { memory } = this._parts.session;
    busy.add(memory);
    try {
      while (this._fit.step !== 'ended') {
        try {
          this._take(await this._do());
        } catch (reason) {
          this._take({ type: 'refused', text: explain(reason, this._trans) });
        }
      }
      // What has not run is taken back, and a try that was cancelled.
      if (this._fit.end?.kind === 'cancelled' || !this._hasRun) {
        // What cannot be taken back stays made, and says so with its button.
        if (!(await this._takeBack().catch(() => false))) {
          this._take({ type: 'kept' });
        }
      }
    } finally {
      busy.delete(memory);
    }
    this._isDone = true;
    this.emit();
  }

  /** Stop: at once where nothing runs yet, else after the running try. */
  cancel(): void {
    this._take({ type: 'cancel' });
    this._stopTask();
  }

  /**
   * Take all edits back; false, with nothing undone, where a cell was edited since.
   * Rejects with a sentence where a file was.
   */
  async undo(): Promise<boolean> {
    const isDone = await revert(this._changes);
    if (isDone) {
      this._edits.clear();
    }
    return isDone;
  }

  private _take(event: FitEvent): void {
    this._fit = fitting(this._fit, event);
    this.emit();
  }

  private async _do(): Promise<FitEvent> {
    switch (this._fit.step) {
      case 'finding':
        return this._find();
      case 'asking':
        return this._ask();
      case 'agreeing':
        return this._agree();
      case 'editing':
        return this._edit();
      case 'freeing':
        return this._free();
      default:
        return this._try();
    }
  }

  private async _find(): Promise<FitEvent> {
    const { files, object, panel, remedyId, session } = this._parts;
    const remedy = this._report.remedies.find(
      ({ id, kind }) => id === remedyId && kind === 'edit'
    );
    if (!remedy) {
      return { type: 'none' };
    }
    const { report_id } = this._report;
    const { memory } = session;
    const fix = await findFix(
      memory,
      panel,
      report_id,
      remedyId,
      files,
      this._trans,
      this._fit.tries === 0 ? this._parts.known : []
    );
    if (fix.status !== 'ok') {
      const { message, status } = fix;
      const isChanged = status === 'changed';
      return { type: 'refused', text: this._said(message), isChanged };
    }
    const objection = object?.(fix) ?? null;
    if (objection !== null) {
      return { type: 'refused', text: objection };
    }
    this._next = fix;
    this._expected = sourcesAfter(panel, fix);
    const known = this._fit.tries === 0 ? this._parts.known?.[0] : undefined;
    const setting = known?.new_lines.join('\n').trim();
    return { type: 'found', setting: setting ?? remedy.diffs[0]?.sets ?? null };
  }

  /** What running the cells again costs, and what of that has not been agreed to. */
  private async _ask(): Promise<FitEvent> {
    const { session } = this._parts;
    const { memory } = session;
    const fix = this._fixed();
    this._cost = null;
    const cost = await askCost(
      memory,
      this._report,
      fix,
      this._expected,
      this._trans,
      task => {
        this._follow(task);
      }
    );
    if (cost === null) {
      this._take({ type: 'cancel' });
    }
    this._cost = cost;
    const open = cost && this._consent.open(cost);
    const isCostly =
      open !== null && open.cautions.length + open.items.length > 0;
    return { type: 'asked', isCostly };
  }

  private async _agree(): Promise<FitEvent> {
    const cost = this._cost;
    if (cost === null || !(await this._parts.agree(this._consent.open(cost)))) {
      this._take({ type: 'cancel' });
    } else {
      this._consent.give(cost);
    }
    return { type: 'agreed' };
  }

  private async _edit(): Promise<FitEvent> {
    const fix = this._fixed();
    const text = this._obstacle(fix, 'before');
    if (text !== null) {
      return { type: 'refused', text };
    }
    if (!(await makeFix(fix, this._trans))) {
      const text = this._trans.__('The cell was edited after it failed.');
      return { type: 'refused', text, isChanged: true };
    }
    this._made = fix;
    this._hasRun = false;
    for (const edit of fix.edits) {
      const { id } = edit.code;
      const before = this._edits.get(id)?.before ?? edit.before;
      this._edits.set(id, { ...edit, before });
    }
    return { type: 'edited' };
  }

  /**
   * What the failed cell holds would make the next try fail. The last step before
   * the run: while it waits, whatever stands against that run takes it back.
   */
  private async _free(): Promise<FitEvent> {
    const { once, panel, session } = this._parts;
    const fix = this._fixed();
    const agreed = (this._cost?.items ?? []).map(({ id }) => id);
    const obstacle = this._obstacle(fix, 'after');
    if (obstacle !== null) {
      return { type: 'refused', text: obstacle };
    }
    if (this._report.worker !== null) {
      // Nothing of the failed try is here: it ran in a process that has ended.
      return { type: 'freed', names: false };
    }
    const release = session.begin({
      items: [...RELEASED_ITEMS, ...agreed],
      confirmed: agreed,
      report_id: this._report.report_id
    });
    const found = new Set<string>();
    const look = (): void => {
      const text = this._obstacle(fix, 'after');
      if (text !== null) {
        found.add(text);
        void release.cancel();
      }
    };
    this._follow(release);
    release.changed.connect(look);
    const content = panel.model?.contentChanged;
    content?.connect(look);
    panel.disposed.connect(look);
    try {
      const { message, status } = await release.ended;
      look();
      const [text] = found;
      if (text !== undefined) {
        return { type: 'refused', text };
      }
      if (status === 'failed') {
        const why = this._said(message);
        return {
          type: 'refused',
          text: once ? this._trans.__('Could not free it: %1', why) : why
        };
      }
      if (status === 'cancelled') {
        this._take({ type: 'cancel' });
      }
      return { type: 'freed', names: status === 'done' && agreed.length > 0 };
    } finally {
      content?.disconnect(look);
      panel.disposed.disconnect(look);
    }
  }

  private async _try(): Promise<FitEvent> {
    const { once, panel, session, translator } = this._parts;
    const { memory } = session;
    const cells = this._made?.run ?? [];
    const { cell_id, device_index } = this._report;
    this._hasRun = true;
    const peak = peakOf(memory, cell_id, device_index);
    const failure = nextFailure(memory, cells, this._parts.remedyId);
    // The closer the readings, the narrower the peak that is told.
    const watching = memory.watch();
    try {
      const hasPassed = await runCells(panel, cells, translator);
      const measured = once || !hasPassed ? null : await peak.measured();
      if (hasPassed && !failure.isKnown) {
        return { type: 'passed', peak: measured };
      }
      if (once) {
        return { type: 'failed', isOom: false };
      }
      const report = this._fit.isCancelled ? null : await failure.report();
      this._report = report ?? this._report;
      return { type: 'failed', isOom: report !== null };
    } finally {
      failure.dispose();
      watching.dispose();
    }
  }

  /** Why the cells of a fix are not to run; `when`: before or after it was made. */
  private _obstacle(fix: IFix, when: 'before' | 'after'): string | null {
    const { panel, report, session } = this._parts;
    const { memory } = session;
    if (panel.isDisposed) {
      return this._trans.__('The notebook was closed.');
    }
    if (memory.isDisposed || lifeOf(memory.state) !== report.life_id) {
      return this._trans.__(
        'The kernel was restarted meanwhile, or does not answer.'
      );
    }
    const before = new Map(
      fix.edits.map(({ before, code }) => [code.id, before] as const)
    );
    const cells = [...(panel.model?.cells ?? [])];
    const isSame = fix.run.every(id => {
      const cell = cells.find(each => each.id === id);
      const expected =
        (when === 'before' ? before.get(id) : undefined) ?? this._expected[id];
      return cell?.type === 'code' && cell.sharedModel.getSource() === expected;
    });
    return isSame
      ? null
      : this._trans.__(
          'A cell that would run was edited or deleted meanwhile.'
        );
  }

  /** The code as it was before the last try; false: a cell was edited since. */
  private async _takeBack(): Promise<boolean> {
    const edits = this._made?.edits ?? [];
    if (!(await revert(edits))) {
      return false;
    }
    for (const { before, code } of edits) {
      const known = this._edits.get(code.id);
      if (known) {
        this._edits.set(code.id, { ...known, after: before });
      }
    }
    this._made = null;
    return true;
  }

  /** All edits that are made. */
  private get _changes(): readonly IAppliedEdit[] {
    return [...this._edits.values()].filter(
      ({ after, before }) => before !== after
    );
  }

  private _fixed(): IFix {
    if (this._next === null) {
      throw new Error('No edit was found.');
    }
    return this._next;
  }

  private _said(message: IMessage | string): string {
    return typeof message === 'string'
      ? message
      : words(this._trans).sentence(message);
  }

  /** A wish to stop ends what the kernel was asked for, too. */
  private _follow<K extends Work>(task: Task<K>): void {
    this._task = task;
    task.changed.connect(this.emit, this);
    this._stopTask();
  }

  private _stopTask(): void {
    if (this._fit.isCancelled) {
      void this._task?.cancel();
    }
  }

  private _fit = FIT_START;
  private _isDone = false;
  /** What the kernel was asked for last. */
  private _task: Pick<Task<Work>, 'cancel' | 'step'> | null = null;
  private _report: IReport;
  /** The edit that was found, and the one that was made last. */
  private _next: IFix | null = null;
  private _made: IFix | null = null;
  /** Whether the edit that was made last has run. */
  private _hasRun = false;
  private _cost: ICost | null = null;
  /** The code cells by id, as they are once the edit is made. */
  private _expected: Record<string, string> = {};
  private readonly _consent = new Consent();
  /** By the id of the code: from before the first try to after the last. */
  private readonly _edits = new Map<string, IAppliedEdit>();
  private readonly _trans: TranslationBundle;
}
