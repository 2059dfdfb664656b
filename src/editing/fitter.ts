import type { NotebookPanel } from '@jupyterlab/notebook';
import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';

import { explain } from '../kernel/problem';
import type { Task } from '../kernel/task';
import { type IAppliedEdit, revert } from '../lab/edit';
import { nameStopping } from '../lab/notice';
import { runCells } from '../lab/run';
import { helperOf } from '../memory/model';
import { RELEASED_ITEMS } from '../memory/released';
import type { Work } from '../memory/work';
import { Observable } from '../observable';
import type { IEdit, IItem, IMessage, IReport } from '../protocol';
import { startsWhen } from '../release/queue';
import type { ReleaseSession } from '../release/session';
import { words } from '../text/messages';
import { askCost, Consent, type ICost } from './cost';
import type { Files } from './files';
import { findFix, type IFix, makeFix } from './fix';
import { nameLooking } from './fixing';
import { describeFit, watchRun } from './tries';

/** Inputs of an edit that is to run. */
export interface IFitParts {
  readonly session: ReleaseSession;
  readonly panel: NotebookPanel;
  readonly report: IReport;
  readonly remedyId: string;
  readonly files: Files;
  readonly translator: ITranslator;
  /** Run once, with any result, and look for no further edit. */
  readonly once: boolean;
  /** Ask the user to agree to the cost; resolves to whether to continue. */
  readonly agree: (cost: ICost) => Promise<boolean>;
  /** Edits of the first try that are known to fit, in place of the helper's. */
  readonly known?: readonly IEdit[];
  /** Why an edit must not be made; `null`: it may. */
  readonly object?: (fix: IFix) => string | null;
}

/** Result of all tries. */
export interface IFitEnd {
  /** `stopped`: the cell does not pass; `changed`: the lines of an edit have changed. */
  readonly kind: 'fits' | 'stopped' | 'canceled' | 'refused' | 'changed';
  /** One sentence that is short enough for a notification. */
  readonly text: string;
}

/** Thrown to end all tries. */
class Stop extends Error {
  constructor(readonly end: IFitEnd) {
    super(end.text);
  }
}

/** Higher than the number of times that any number can be halved. */
const MAX_TRIES = 40;

/** Kernels with a fitter in progress; at most one each. */
const busy = new WeakSet();

/**
 * Applies the edit of a remedy and runs its cells: once, or repeatedly while the next
 * failure offers the same remedy. Changes nothing but its edits, and frees only those
 * of the user's objects that the user agreed to, right before a run.
 *
 * Steps that may be refused precede destructive ones: until the release right before a
 * run, canceling leaves everything as it was.
 */
export class Fitter extends Observable {
  constructor(private readonly _parts: IFitParts) {
    super();
    this._trans = _parts.translator.load('gpu-headroom');
    this._report = _parts.report;
    this._text = nameLooking(this._trans);
    this._setting = this._trans.__('the edit');
  }

  /** The result; `null`: not yet. */
  get end(): IFitEnd | null {
    return this._end;
  }

  /** The current step, or the result. */
  get text(): string {
    if (this._end) {
      return this._end.text;
    }
    if (this._isCanceled) {
      return nameStopping(this._trans);
    }
    return this.isWaiting
      ? startsWhen(this._parts.session.memory.state, this._trans)
      : this._text;
  }

  /** Whether it will stop at the next step; a running try ends first. */
  get isCanceled(): boolean {
    return this._isCanceled;
  }

  /** Whether it waits for a running cell to end. */
  get isWaiting(): boolean {
    return this._task?.step === 'waiting' && !this._isCanceled;
  }

  /** Whether the cells of the current try are running. */
  get isRunning(): boolean {
    return this._isRunning;
  }

  /** The edit of the current try, once it is made. */
  get made(): IFix | null {
    return this._made;
  }

  /** Whether there is something to undo. */
  get hasChanged(): boolean {
    return this._changes.length > 0;
  }

  /** Whether another fitter is in progress in this kernel. */
  get isBusy(): boolean {
    return busy.has(this._parts.session.memory);
  }

  /** Run all tries. Never rejects. */
  async run(): Promise<void> {
    const { memory } = this._parts.session;
    busy.add(memory);
    let end = await this._fit().catch(
      (reason: unknown): IFitEnd =>
        reason instanceof Stop
          ? reason.end
          : { kind: 'refused', text: explain(reason, this._trans) }
    );
    // Edits that have not run are undone, as are those of a canceled try.
    if (end.kind === 'canceled' || !this._hasRun) {
      const isBack = await this._takeBack().catch(() => false);
      if (!isBack && end.kind === 'canceled') {
        const text = this._trans.__(
          'Canceled. The edit stays: it could not be undone.'
        );
        end = { ...end, text };
      }
    }
    busy.delete(memory);
    this._end = end;
    this.emit();
  }

  /** Stop: at once if nothing is running yet, else after the running try. */
  cancel(): void {
    this._isCanceled = true;
    this.emit();
    void this._task?.cancel();
  }

  /**
   * Undo all edits; false, with nothing undone, if a cell was edited since. Rejects
   * with a sentence if a file was.
   */
  async undo(): Promise<boolean> {
    const isDone = await revert(this._changes);
    if (isDone) {
      this._edits.clear();
    }
    return isDone;
  }

  private async _fit(): Promise<IFitEnd> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const fix = await this._find(tries === 1);
      const items = await this._agree(fix);
      await this._edit(fix);
      await this._free(fix, items);
      const end = await this._try(fix);
      if (end !== null) {
        return end;
      }
    }
    return this._nothingLeft(false);
  }

  /** Start a step, unless canceled. */
  private _begin(text: string): void {
    if (this._isCanceled) {
      throw new Stop({ kind: 'canceled', text: this._canceled() });
    }
    this._text = text;
    this.emit();
  }

  private async _find(isFirst: boolean): Promise<IFix> {
    const { files, object, panel, remedyId, session } = this._parts;
    const trans = this._trans;
    this._begin(
      isFirst
        ? nameLooking(trans)
        : `${this._doesNotFit()} ${trans.__('Looking further…')}`
    );
    const { remedies, report_id } = this._report;
    const remedy = remedies.find(
      ({ id, kind }) => id === remedyId && kind === 'edit'
    );
    if (!remedy) {
      throw new Stop(this._nothingLeft(isFirst));
    }
    const tried = (isFirst ? this._parts.known : null) ?? [];
    const { memory } = session;
    const fix = await findFix(
      memory,
      panel,
      report_id,
      remedyId,
      files,
      trans,
      tried
    );
    if (fix.status !== 'ok') {
      const { message, status: kind } = fix;
      throw new Stop({ kind, text: this._said(message) });
    }
    const objection = object?.(fix) ?? null;
    if (objection !== null) {
      throw new Stop({ kind: 'refused', text: objection });
    }
    this._before = sourcesOf(panel);
    this._after = { ...this._before };
    for (const { after, code } of fix.edits.filter(edit => !edit.code.isFile)) {
      this._after[code.id] = after;
    }
    this._setting =
      tried[0]?.new_lines.join('\n').trim() ??
      remedy.diffs[0]?.sets ??
      trans.__('the edit');
    return fix;
  }

  /**
   * Ask for the cost of running the cells again, and for consent to the part that was
   * not agreed to. Resolves to the items that are deleted before.
   */
  private async _agree(fix: IFix): Promise<readonly IItem[]> {
    const { agree, session } = this._parts;
    const text = this._trans.__('Checking the cost of running it again…');
    this._begin(text);
    const cost = await askCost(
      session.memory,
      this._report,
      fix,
      this._after,
      this._trans,
      task => {
        this._follow(task);
      }
    );
    this._isCanceled ||= cost === null;
    this._begin(text);
    const open = cost && this._consent.open(cost);
    if (open && open.cautions.length + open.items.length > 0) {
      if (await agree(open)) {
        this._consent.give(open);
      } else {
        this._isCanceled = true;
      }
    }
    return cost?.items ?? [];
  }

  private async _edit(fix: IFix): Promise<void> {
    this._begin(this._trying());
    this._check(fix, this._before);
    if (!(await makeFix(fix, this._trans))) {
      const text = this._trans.__('The cell was edited after it failed.');
      throw new Stop({ kind: 'changed', text });
    }
    this._made = fix;
    this._hasRun = false;
    for (const edit of fix.edits) {
      const { id } = edit.code;
      const before = this._edits.get(id)?.before ?? edit.before;
      this._edits.set(id, { ...edit, before });
    }
  }

  /**
   * Free what the failed cell retains, which would make the next try fail. The last
   * step before the run: while it waits, any obstacle to that run cancels it.
   */
  private async _free(fix: IFix, items: readonly IItem[]): Promise<void> {
    const { panel, session } = this._parts;
    this._begin(this._trans.__('Freeing GPU memory…'));
    this._check(fix, this._after);
    if (this._report.worker !== null) {
      // The failed try left nothing in this kernel: it ran in a process that has ended.
      return;
    }
    const agreed = items.map(({ id }) => id);
    const release = session.begin({
      items: [...RELEASED_ITEMS, ...agreed],
      confirmed: agreed,
      report_id: this._report.report_id
    });
    const look = (): void => {
      if (this._obstacle(fix, this._after) !== null) {
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
      this._check(fix, this._after);
      if (status === 'failed') {
        const why = this._said(message);
        const text = this._trans.__('Could not free GPU memory: %1', why);
        throw new Stop({ kind: 'refused', text });
      }
      this._isCanceled ||= status === 'cancelled';
      this._hasDeleted ||= status === 'done' && agreed.length > 0;
    } finally {
      content?.disconnect(look);
      panel.disposed.disconnect(look);
    }
  }

  /** Run the cells; resolves to `null` if the next edit is to be tried. */
  private async _try({ run }: IFix): Promise<IFitEnd | null> {
    const { once, panel, remedyId, session, translator } = this._parts;
    const { memory } = session;
    this._begin(this._trying());
    this._hasRun = this._hasTried = this._isRunning = true;
    this.emit();
    const trial = watchRun(memory, this._report, run, remedyId);
    try {
      const hasPassed = await runCells(panel, run, translator);
      if (hasPassed && !trial.hasFailed) {
        const peak = once ? null : await trial.peak();
        const text = describeFit(this._setting, peak, this._trans);
        return { kind: 'fits', text };
      }
      const report = once || this._isCanceled ? null : await trial.nextReport();
      if (report === null && !this._isCanceled) {
        const text = this._trans.__(
          'Stopped: the cell failed with a different error at %1.',
          this._setting
        );
        return { kind: 'stopped', text };
      }
      this._report = report ?? this._report;
      return null;
    } finally {
      this._isRunning = false;
      trial.dispose();
    }
  }

  /** End if the cells of a fix must not run. */
  private _check(fix: IFix, expected: Record<string, string>): void {
    const text = this._obstacle(fix, expected);
    if (text !== null) {
      throw new Stop({ kind: 'refused', text });
    }
  }

  /** Why the cells of a fix must not run; `expected`: their sources, by id. */
  private _obstacle(
    { run }: IFix,
    expected: Record<string, string>
  ): string | null {
    const { panel, report, session } = this._parts;
    const { memory } = session;
    if (panel.isDisposed) {
      return this._trans.__('The notebook was closed.');
    }
    if (memory.isDisposed || helperOf(memory.state) !== report.helper_id) {
      return this._trans.__(
        'The kernel was restarted meanwhile, or does not answer.'
      );
    }
    const sources = sourcesOf(panel);
    return run.every(id => id in sources && sources[id] === expected[id])
      ? null
      : this._trans.__(
          'A cell that would run was edited or deleted meanwhile.'
        );
  }

  /** Restore the code from before the last try; false: a cell was edited since. */
  private async _takeBack(): Promise<boolean> {
    const edits = this._made?.edits ?? [];
    if (!(await revert(edits))) {
      return false;
    }
    for (const { before, code } of edits) {
      const earlier = this._edits.get(code.id);
      if (earlier) {
        this._edits.set(code.id, { ...earlier, after: before });
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

  /** Follow a task of the kernel, and cancel it if this is canceled. */
  private _follow<K extends Work>(task: Task<K>): void {
    this._task = task;
    task.changed.connect(this.emit, this);
  }

  private _said(message: IMessage | string): string {
    return typeof message === 'string'
      ? message
      : words(this._trans).sentence(message);
  }

  private _trying(): string {
    return this._trans.__('Trying %1…', this._setting);
  }

  private _doesNotFit(): string {
    return this._trans.__('%1 does not fit.', this._setting);
  }

  private _nothingLeft(isFirst: boolean): IFitEnd {
    const end = this._trans.__('No other size is left to try.');
    const text = isFirst ? end : `${this._doesNotFit()} ${end}`;
    return { kind: 'stopped', text };
  }

  private _canceled(): string {
    if (this._hasTried) {
      return this._trans.__(
        'Canceled: the code is restored to before the last try.'
      );
    }
    return this._hasDeleted
      ? this._trans.__(
          'Canceled: the code is restored. What you agreed to delete is already deleted.'
        )
      : this._trans.__('Canceled: nothing was changed.');
  }

  private readonly _trans: TranslationBundle;
  private readonly _consent = new Consent();
  private _end: IFitEnd | null = null;
  private _text: string;
  /** The value that the last edit sets, as code: `batch_size = 256`. */
  private _setting: string;
  private _report: IReport;
  /** The last task requested from the kernel. */
  private _task: Pick<Task<Work>, 'cancel' | 'step'> | null = null;
  /** The code cells by id, before the edit of the current try and after it. */
  private _before: Record<string, string> = {};
  private _after: Record<string, string> = {};
  private _made: IFix | null = null;
  private _isCanceled = false;
  private _isRunning = false;
  /** Whether the edit that was made last has run, and whether any has. */
  private _hasRun = false;
  private _hasTried = false;
  /** Whether names that the user agreed to lose are deleted. */
  private _hasDeleted = false;
  /** By the id of the code: from before the first try to after the last. */
  private readonly _edits = new Map<string, IAppliedEdit>();
}

/** The code cells of a notebook by id. */
function sourcesOf({ model }: NotebookPanel): Record<string, string> {
  const cells = [...(model?.cells ?? [])].filter(({ type }) => type === 'code');
  return Object.fromEntries(
    cells.map(({ id, sharedModel }) => [id, sharedModel.getSource()])
  );
}
