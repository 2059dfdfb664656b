import type { NotebookPanel } from '@jupyterlab/notebook';
import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';

import {
  type ActionName,
  type ITried,
  notTried,
  type OutputAction
} from '../card/state';
import { type DryRun, dryRunOf } from '../dryrun/dryrun';
import type { Files } from '../editing/files';
import { insertBelow } from '../editing/insertion';
import { runCells } from '../editing/run';
import type { ICost } from '../fit/cost';
import { Fitter } from '../fit/fitter';
import { nameBusy } from '../fit/fitwords';
import type { IReport } from '../protocol';
import type { ReleaseSession } from '../release/session';
import { Fixing, nameLooking } from './fixing';
import type { ReportModel } from './model';
import type { ISite } from './place';
import { rescue, save } from './rescue';
import { revealLine } from './reveal';
import { triedOf, tryFirst } from './trying';

/** What buttons ask for that is done to the report, its notebook or its kernel. */
export type ReportAction = Exclude<
  ActionName,
  OutputAction | 'restart' | `copy${string}`
>;

type Handler = (remedyId: string, site: ISite | null) => Promise<void> | void;

/** Of a button that does nothing outside notebooks. */
function inNotebook(
  act: (remedyId: string, site: ISite) => Promise<void>
): Handler {
  return async (remedyId, site) => {
    if (site !== null) {
      await act(remedyId, site);
    }
  };
}

/**
 * Carries out what the buttons of a report's cards ask for.
 *
 * Only ids leave this page, and edits come from the helper. A failure ends as a
 * sentence on the cards.
 */
export class ReportController {
  constructor(
    readonly model: ReportModel,
    private readonly _session: ReleaseSession,
    private readonly _files: Files,
    private readonly _translator: ITranslator
  ) {
    this._trans = _translator.load('gpu-headroom');
    this._fixing = new Fixing(model, _files, this._trans);
    this._dryRun = dryRunOf(model.memory);
    this._dryRun.changed.connect(this._onTried, this);
  }

  /**
   * Do what a button asks for. Never rejects.
   *
   * @param site - `null` outside notebooks, where nothing is edited or run
   */
  async act(
    name: ReportAction,
    remedyId: string | null,
    site: ISite | null
  ): Promise<void> {
    if (name === 'cancel') {
      this._cancel(remedyId ?? '');
    } else if (name === 'end-tries') {
      await this._dryRun.cancel();
    } else if (name === 'try-first') {
      await this._tryFirst(site);
    } else if (remedyId !== null) {
      await this.model.act(remedyId, () =>
        name === 'run'
          ? this._run(remedyId, site)
          : this._handlers[name](remedyId, site)
      );
    } else if (name === 'run') {
      // What became of it is told by the cell itself.
      await this._run(null, site).catch(() => undefined);
    }
  }

  /**
   * Find out, once for each time that the helper vouches for the report, what
   * the buttons have to say. Never rejects.
   */
  async prepare(panel: NotebookPanel): Promise<void> {
    const { report } = this.model;
    if (report !== null && report !== this._prepared) {
      this._prepared = report;
      await this._fixing.lookAhead(panel);
    }
  }

  /** What trying its edits has shown; `null`: they were not tried. */
  get tried(): ITried | null {
    return this._whyNot === ''
      ? triedOf(this._dryRun, this.model.reportId, this._trans)
      : notTried(this._whyNot);
  }

  private async _tryFirst(site: ISite | null): Promise<void> {
    if (site !== null) {
      this._whyNot = '';
      this._whyNot = (await tryFirst(this.model, site, this._trans)) ?? '';
      this.model.refresh();
    }
  }

  private _onTried(): void {
    if (!this.model.isDisposed) {
      this.model.refresh();
    }
  }

  private async _apply(remedyId: string, { panel }: ISite): Promise<void> {
    const text = nameLooking(this._trans);
    this.model.setRemedy(remedyId, { status: 'running', text });
    const fix = await this._fixing.find(remedyId, panel);
    if (fix) {
      await this._fixing.make(remedyId, fix);
    }
  }

  private _cancel(remedyId: string): void {
    this._tries.get(remedyId)?.cancel();
    this.model.cancel(remedyId);
  }

  private async _reveal(
    remedyId: string,
    { panel, cellId }: ISite
  ): Promise<void> {
    const place = this._fixing.lineOf(remedyId);
    await revealLine(panel, place?.cellId ?? cellId, place?.line ?? 1);
  }

  /**
   * Edit and run, once what that costs is agreed to; what the failed cell holds is
   * freed right before the run.
   */
  private async _applyAndRun(remedyId: string, site: ISite): Promise<void> {
    const { report } = this.model;
    if (report === null) {
      return;
    }
    const fitter = new Fitter({
      ...this._partsOf(report, remedyId, site),
      agree: cost =>
        this._agree(cost, site, this._trans.__('Apply and re-run'), null),
      object: fix => this._fixing.objection(remedyId, fix),
      once: true
    });
    if (fitter.isBusy) {
      const text = nameBusy(this._trans);
      this.model.setRemedy(remedyId, { status: 'failed', text });
      return;
    }
    this._tries.set(remedyId, fitter);
    fitter.changed.connect(() => {
      this._fixing.follow(remedyId, fitter);
    });
    await fitter.run();
    this._tries.delete(remedyId);
  }

  private async _makeItFit(remedyId: string, site: ISite): Promise<void> {
    const { report } = this.model;
    if (report === null) {
      return;
    }
    // What is said of it is said in its notification.
    this.model.setRemedy(remedyId, { status: 'begun' });
    const { makeItFit } = await import('../fit/makeitfit');
    const note = this._trans.__('It may take several tries.');
    const known = this.tried?.byRemedy[remedyId];
    const text = await makeItFit({
      ...this._partsOf(report, remedyId, site),
      known: known?.fits ? known.edits : [],
      agree: cost =>
        this._agree(cost, site, this._trans.__('Make it fit'), note)
    });
    this.model.setRemedy(
      remedyId,
      text === null ? { status: 'ready' } : { status: 'failed', text }
    );
  }

  private _partsOf(report: IReport, remedyId: string, { panel }: ISite) {
    return {
      session: this._session,
      panel,
      report,
      remedyId,
      files: this._files,
      translator: this._translator
    };
  }

  private async _agree(
    cost: ICost,
    site: ISite,
    title: string,
    note: string | null
  ): Promise<boolean> {
    const { agreeTo } = await import('../fit/agreeing');
    const saving = (): Promise<string> => save(this.model, site, this._trans);
    return agreeTo(cost, { title, note, save: saving }, this._trans);
  }

  /** Insert the code of a remedy, the helper's own copy, below the failed cell. */
  private async _insert(
    remedyId: string,
    { panel, cellId }: ISite
  ): Promise<void> {
    const remedies = this.model.report?.remedies ?? [];
    const remedy = remedies.find(({ id }) => id === remedyId);
    const { widgets } = panel.content;
    const index = widgets.findIndex(({ model }) => model.id === cellId);
    const code = remedy?.kind === 'snippet' ? remedy.type_this : null;
    if (code === null || index < 0) {
      return;
    }
    const inserted = insertBelow(panel, index, code);
    if (inserted === null) {
      const text = this._trans.__('The notebook is read-only.');
      this.model.setRemedy(remedyId, { status: 'failed', text });
      return;
    }
    const text = this._trans.__('Inserted below, not run yet.');
    this.model.setRemedy(remedyId, { status: 'inserted', text });
    await panel.content.scrollToItem(index + 1);
  }

  /** Run the cells of an edit that was made, else the failed cell. */
  private async _run(
    remedyId: string | null,
    site: ISite | null
  ): Promise<void> {
    if (site === null) {
      return;
    }
    const { panel, cellId } = site;
    const made = remedyId === null ? null : this._fixing.runOf(remedyId);
    const failed = cellId === null ? [] : [cellId];
    await runCells(panel, made ?? failed, this._translator);
  }

  /** What each button of a remedy does. */
  private readonly _handlers: Readonly<
    Record<
      Exclude<ReportAction, 'cancel' | 'run' | 'try-first' | 'end-tries'>,
      Handler
    >
  > = {
    release: remedyId => this.model.free(remedyId),
    apply: inNotebook((remedyId, site) => this._apply(remedyId, site)),
    'apply-and-run': inNotebook((remedyId, site) =>
      this._applyAndRun(remedyId, site)
    ),
    'make-it-fit': inNotebook((remedyId, site) =>
      this._makeItFit(remedyId, site)
    ),
    insert: inNotebook((remedyId, site) => this._insert(remedyId, site)),
    save: inNotebook((remedyId, site) =>
      rescue(this.model, remedyId, site, this._trans)
    ),
    undo: inNotebook(remedyId => this._fixing.undo(remedyId)),
    reveal: inNotebook((remedyId, site) => this._reveal(remedyId, site))
  };

  private _prepared: IReport | null = null;
  /** What runs an edit now, by remedy id. */
  private readonly _tries = new Map<string, Fitter>();
  private readonly _trans: TranslationBundle;
  private readonly _fixing: Fixing;
  private readonly _dryRun: DryRun;
  /** Why the edits could not be tried; empty: they could. */
  private _whyNot = '';
}
