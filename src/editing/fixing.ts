import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import { revert } from '../lab/edit';
import type { Desk } from '../renderer/desk';
import type { ReportModel } from '../renderer/model';
import { isElsewhere } from '../report/diff';
import type { RemedyState } from '../report/state';
import { words } from '../text/messages';
import { sentenceOf } from '../text/reason';
import type { Files } from './files';
import { findFix, type IFix, type IRefusedFix, makeFix } from './fix';

/** Sentence shown while the helper is asked for an edit. */
export function nameLooking(trans: TranslationBundle): string {
  return trans.__('Looking for the lines to edit…');
}

/** Makes the edits of a report's remedies, and shows their progress in the report. */
export class Fixing {
  constructor(
    private readonly _model: ReportModel,
    readonly files: Files,
    private readonly _trans: TranslationBundle
  ) {}

  /** Request the edit; `null`, with the reason shown in the report, if there is none. */
  async find(remedyId: string, panel: NotebookPanel): Promise<IFix | null> {
    const fix = await this._find(remedyId, panel);
    if (fix.status === 'ok') {
      return fix;
    }
    this.refuse(remedyId, fix);
    return null;
  }

  private async _find(
    remedyId: string,
    panel: NotebookPanel
  ): Promise<IFix | IRefusedFix> {
    const { memory, reportId } = this._model;
    return findFix(memory, panel, reportId, remedyId, this.files, this._trans);
  }

  /**
   * Request the cells that the fixes of other cells run, since their buttons name them.
   */
  async lookAhead(panel: NotebookPanel): Promise<void> {
    const { report } = this._model;
    const elsewhere = (report?.remedies ?? []).filter(
      ({ kind, diffs }) =>
        kind === 'edit' && report !== null && isElsewhere(report, diffs)
    );
    for (const { id } of elsewhere) {
      // Without a reply the buttons concerned are not offered.
      const fix = await this._find(id, panel).catch(() => null);
      if (fix?.status === 'ok') {
        this._model.setRun(id, fix.run);
      }
    }
  }

  /**
   * Make the edit; shows the reason in the report if a cell was edited in the meantime.
   */
  async make(remedyId: string, fix: IFix): Promise<void> {
    if (await makeFix(fix, this._trans)) {
      this.note(remedyId, fix);
    } else {
      this.refuse(remedyId, {
        status: 'changed',
        message: this._trans.__('The cell was edited after it failed.')
      });
    }
  }

  /** Show that an edit is made. */
  note(remedyId: string, fix: IFix): void {
    this._made.set(remedyId, fix);
    this._model.setRemedy(remedyId, this.describe());
  }

  /** The state of a remedy whose edit is made. */
  describe(): RemedyState {
    return {
      status: 'applied',
      text: this._trans.__('Applied, not run yet.')
    };
  }

  /**
   * Undo an edit, unless a cell was edited since. A file's edit can still be undone
   * later, once the obstacle is gone.
   */
  async undo(remedyId: string): Promise<void> {
    const edits = this._made.get(remedyId)?.edits ?? [];
    try {
      const text = this._trans.__(
        'The cell was edited since, so nothing was changed.'
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

  /** Position where the diff of a remedy begins, in a cell. */
  lineOf(remedyId: string): { cellId: string | null; line: number } | null {
    const remedies = this._model.report?.remedies ?? [];
    const [diff] = remedies.find(({ id }) => id === remedyId)?.diffs ?? [];
    const row = diff?.rows.find(({ sign }) => sign !== ' ');
    return diff?.file === null && row
      ? { cellId: diff.cell_id, line: row.line }
      : null;
  }

  /** Show why an edit is not made. */
  refuse(remedyId: string, { status, message }: IRefusedFix): void {
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

/** Returns what makes the edits of a report. */
export type FixingOf = (desk: Desk) => Fixing;

/** Return a function that creates one `Fixing` per report. */
export function fixingsWith(files: Files): FixingOf {
  const cache = new WeakMap<Desk, Fixing>();
  return desk => {
    const fixing = cache.get(desk) ?? new Fixing(desk.model, files, desk.trans);
    cache.set(desk, fixing);
    return fixing;
  };
}
