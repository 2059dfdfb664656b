import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import { isElsewhere } from '../card/diff';
import type { RemedyState } from '../card/state';
import { revert } from '../editing/edit';
import type { Files } from '../editing/files';
import { findFix, type IFix, type IRefusedFix, makeFix } from '../editing/fix';
import type { Fitter } from '../fit/fitter';
import { fitSentence } from '../fit/fitwords';
import { startsWhen } from '../release/queue';
import { words } from '../text/messages';
import { own } from '../text/own';
import { sentenceOf } from '../text/reason';
import type { ReportModel } from './model';

/** The helper is asked for an edit. */
export function nameLooking(trans: TranslationBundle): string {
  return trans.__('Looking for the lines to edit…');
}

/**
 * Makes the edits of a report's remedies, and says on its cards how that stands.
 */
export class Fixing {
  constructor(
    private readonly _model: ReportModel,
    private readonly _files: Files,
    private readonly _trans: TranslationBundle
  ) {}

  /**
   * Ask the helper for the edit; `null`, and why on the card, where there is none.
   */
  async find(remedyId: string, panel: NotebookPanel): Promise<IFix | null> {
    const fix = await this._find(remedyId, panel);
    if (fix.status === 'ok') {
      return fix;
    }
    this._refuse(remedyId, fix);
    return null;
  }

  private async _find(
    remedyId: string,
    panel: NotebookPanel
  ): Promise<IFix | IRefusedFix> {
    const { memory, reportId } = this._model;
    return findFix(memory, panel, reportId, remedyId, this._files, this._trans);
  }

  /**
   * Learn which cells the fixes of other cells run: their buttons name them.
   */
  async lookAhead(panel: NotebookPanel): Promise<void> {
    const { report } = this._model;
    const elsewhere = (report?.remedies ?? []).filter(
      ({ kind, diffs }) =>
        kind === 'edit' && report !== null && isElsewhere(report, diffs)
    );
    for (const { id } of elsewhere) {
      // Without an answer the buttons concerned are not offered.
      const fix = await this._find(id, panel).catch(() => null);
      if (fix?.status === 'ok') {
        this._model.setRun(id, fix.run);
      }
    }
  }

  /**
   * Why a fix is not to be made: its button named other cells to run. From now on
   * it names these; `null` where it did already.
   */
  objection(remedyId: string, { run }: IFix): string | null {
    const named = own(this._model.runs, remedyId);
    if (named === undefined || named.join('\n') === run.join('\n')) {
      return null;
    }
    this._model.setRun(remedyId, run);
    return this._trans.__('Other cells have to run: the button names them.');
  }

  /**
   * Make the edit; why on the card, when a cell was edited in the meantime.
   */
  async make(remedyId: string, fix: IFix): Promise<void> {
    if (await makeFix(fix, this._trans)) {
      this._note(remedyId, fix);
    } else {
      this._refuse(remedyId, {
        status: 'changed',
        message: this._trans.__('The cell was edited after it failed.')
      });
    }
  }

  /**
   * Show how an edit stands that is made, and run once nothing stands against it.
   */
  follow(remedyId: string, fitter: Fitter): void {
    const { fit, isDone, made } = fitter;
    if (fit.end !== null && !isDone) {
      return;
    }
    if (made !== null && (isDone || fit.step === 'running')) {
      this._note(remedyId, made);
      if (fit.end?.kind === 'cancelled') {
        const text = fitSentence(fit, this._trans);
        this._model.setRemedy(remedyId, { status: 'applied', text });
      }
    } else if (fit.end === null) {
      this._model.setRemedy(remedyId, this._underWay(fitter));
    } else if (fit.end.kind === 'refused') {
      this._refuse(remedyId, {
        status: fit.end.isChanged ? 'changed' : 'refused',
        message: fit.end.text
      });
    } else {
      const text = fitSentence(fit, this._trans);
      this._model.setRemedy(
        remedyId,
        fit.end.kind === 'cancelled'
          ? { status: 'cancelled', text }
          : { status: 'ready' }
      );
    }
  }

  /** What can be taken back says so with a button. */
  private _underWay({ fit, isWaiting }: Fitter): RemedyState {
    const { _model: model, _trans: trans } = this;
    if (fit.isCancelled) {
      return { status: 'running', text: fitSentence(fit, trans) };
    }
    if (isWaiting) {
      const text = startsWhen(model.memory.state, trans);
      return { status: 'waiting', text };
    }
    return { status: 'running', text: this._nameStep(fit), canStop: true };
  }

  private _nameStep(fit: Fitter['fit']): string {
    const { _trans: trans } = this;
    switch (fit.step) {
      case 'finding':
        return nameLooking(trans);
      case 'freeing':
        return trans.__(
          'Freeing what the failed cell holds, then running it again…'
        );
      default:
        return fitSentence(fit, trans);
    }
  }

  private _note(remedyId: string, fix: IFix): void {
    const script = fix.edits.find(({ code }) => code.isFile)?.code.id;
    this._made.set(remedyId, fix);
    this._model.setRemedy(remedyId, {
      status: 'applied',
      text:
        script === undefined
          ? this._trans.__('Applied to the cell, not run yet.')
          : this._trans.__('Applied to %1, not run yet.', script)
    });
  }

  /**
   * Take an edit back, unless a cell was edited since. Of a file that may still be
   * done, once what stands against it has gone.
   */
  async undo(remedyId: string): Promise<void> {
    const edits = this._made.get(remedyId)?.edits ?? [];
    try {
      const text = this._trans.__(
        'The cell was edited since, so nothing was undone.'
      );
      this._model.setRemedy(
        remedyId,
        (await revert(edits)) ? { status: 'ready' } : { status: 'failed', text }
      );
    } catch (reason) {
      const text = sentenceOf(reason);
      this._model.setRemedy(remedyId, { status: 'applied', text });
    }
  }

  /** The cells to run after an edit that was made. */
  runOf(remedyId: string): readonly string[] | null {
    return this._made.get(remedyId)?.run ?? null;
  }

  /** Where the diff of a remedy begins, in a cell. */
  lineOf(remedyId: string): { cellId: string | null; line: number } | null {
    const remedies = this._model.report?.remedies ?? [];
    const [diff] = remedies.find(({ id }) => id === remedyId)?.diffs ?? [];
    const row = diff?.rows.find(({ sign }) => sign !== ' ');
    return diff?.file === null && row
      ? { cellId: diff.cell_id, line: row.line }
      : null;
  }

  private _refuse(remedyId: string, { status, message }: IRefusedFix): void {
    const text =
      typeof message === 'string'
        ? message
        : words(this._trans).sentence(message);
    const line = this.lineOf(remedyId)?.line ?? null;
    this._model.setRemedy(
      remedyId,
      status === 'changed' ? { status, text, line } : { status: 'failed', text }
    );
  }

  private readonly _made = new Map<string, IFix>();
}
