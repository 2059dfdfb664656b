import type { NotebookPanel } from '@jupyterlab/notebook';
import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';

import { type IAppliedEdit, revert } from '../actions/edit';
import { findFix, type IFix, makeFix } from '../actions/fix';
import { runCells } from '../actions/run';
import { RELEASED_ITEMS } from '../frame/released';
import { explain } from '../kernel/problem';
import { words } from '../messages';
import { Observable } from '../observable';
import type { IMessage, IReport } from '../protocol';
import type { ReleaseSession } from '../release/session';
import { FIT_START, type FitEvent, fitting, type IFit } from './fit';
import { overwrittenItems } from './freeing';
import { nextFailure, peakOf } from './tries';

/** What *Make it fit* is about, and what it needs. */
export interface IFitParts {
  readonly session: ReleaseSession;
  readonly panel: NotebookPanel;
  readonly report: IReport;
  readonly remedyId: string;
  readonly translator: ITranslator;
  /** Ask a person about what running again repeats; resolves to whether to go on. */
  readonly agree: (caution: IMessage) => Promise<boolean>;
}

/**
 * Applies the edit of a remedy and runs its cells, again and again while the
 * next failure offers the same remedy. Nothing else than its edits is changed.
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

  /** Whether there is something to take back. */
  get hasChanged(): boolean {
    return [...this._edits.values()].some(
      ({ before, after }) => before !== after
    );
  }

  /** Go on to the end. Never rejects. */
  async run(): Promise<void> {
    while (this._fit.step !== 'ended') {
      try {
        this._take(await this._do());
      } catch (reason) {
        this._take({ type: 'refused', text: explain(reason, this._trans) });
      }
    }
    if (this._fit.end?.kind === 'cancelled') {
      this._takeBack();
    }
    this._isDone = true;
    this.emit();
  }

  /** Stop after the running try. */
  cancel(): void {
    this._take({ type: 'cancel' });
  }

  /** Interrupt the running try as well. */
  async interrupt(): Promise<void> {
    this.cancel();
    if (this._fit.step === 'running') {
      await this._parts.panel.sessionContext.session?.kernel?.interrupt();
    }
  }

  /** Take all edits back; false where a cell was edited since, which stays as it is. */
  undo(): boolean {
    const results = [...this._edits.values()].map(revert);
    this._edits.clear();
    return results.every(Boolean);
  }

  private _take(event: FitEvent): void {
    this._fit = fitting(this._fit, event);
    this.emit();
  }

  private async _do(): Promise<FitEvent> {
    if (this._parts.panel.isDisposed) {
      this.cancel();
    }
    switch (this._fit.step) {
      case 'finding':
        return this._find();
      case 'freeing':
        return this._free();
      case 'editing':
        return this._edit();
      default:
        return this._try();
    }
  }

  private async _find(): Promise<FitEvent> {
    const { agree, panel, remedyId, session } = this._parts;
    const remedy = this._report.remedies.find(
      ({ id, kind }) => id === remedyId && kind === 'edit'
    );
    if (!remedy) {
      return { type: 'none' };
    }
    this._fix = null;
    const { report_id } = this._report;
    const { memory } = session;
    const fix = await findFix(memory, panel, report_id, remedyId, this._trans);
    if (fix.status !== 'ok') {
      const { message } = fix;
      const { sentence } = words(this._trans);
      const text = typeof message === 'string' ? message : sentence(message);
      return { type: 'refused', text };
    }
    const isFirst = this._fit.tries === 0;
    if (isFirst && fix.caution !== null && !(await agree(fix.caution))) {
      this.cancel();
    }
    this._next = fix;
    return { type: 'found', setting: remedy.diffs[0]?.sets ?? null };
  }

  /** What the failed cell holds would make the next try fail. */
  private async _free(): Promise<FitEvent> {
    const overwritten = overwrittenItems(this._next?.run ?? []);
    const { message, status } = await this._parts.session.begin({
      items: [...RELEASED_ITEMS, ...overwritten],
      confirmed: overwritten,
      report_id: this._report.report_id
    }).ended;
    return status === 'failed'
      ? { type: 'refused', text: words(this._trans).sentence(message) }
      : { type: 'freed' };
  }

  private _edit(): FitEvent {
    const fix = this._next;
    if (fix === null || !makeFix(fix)) {
      const text = this._trans.__('The cell was edited after it failed.');
      return { type: 'refused', text };
    }
    this._fix = fix;
    for (const { cell, before, after } of fix.edits) {
      const first = this._edits.get(cell.id)?.before ?? before;
      this._edits.set(cell.id, { cell, before: first, after });
    }
    return { type: 'edited' };
  }

  private async _try(): Promise<FitEvent> {
    const { panel, session, translator } = this._parts;
    const { memory } = session;
    const cells = this._fix?.run ?? [];
    const { cell_id, device_index } = this._report;
    const peak = peakOf(memory, cell_id, device_index);
    const failure = nextFailure(memory, cells, this._parts.remedyId);
    try {
      if (await runCells(panel, cells, translator)) {
        return { type: 'passed', peak: await peak.measured() };
      }
      const report = this._fit.isCancelled ? null : await failure.report();
      this._report = report ?? this._report;
      return { type: 'failed', isOom: report !== null };
    } finally {
      failure.dispose();
    }
  }

  /** The code as it was before the try that was cancelled. */
  private _takeBack(): void {
    for (const edit of this._fix?.edits ?? []) {
      const made = this._edits.get(edit.cell.id);
      if (made && revert(edit)) {
        this._edits.set(edit.cell.id, { ...made, after: edit.before });
      }
    }
  }

  private _fit = FIT_START;
  private _isDone = false;
  private _report: IReport;
  /** The edit that was found, and the one of the present try once it is made. */
  private _next: IFix | null = null;
  private _fix: IFix | null = null;
  /** By cell id: from before the first try to after the last. */
  private readonly _edits = new Map<string, IAppliedEdit>();
  private readonly _trans: TranslationBundle;
}
