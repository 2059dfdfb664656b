import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { memoryOf } from '../kernel/follower';
import type { Announcer } from '../lab/announcer';
import { Drawing } from '../lab/drawing';
import { type IReport, type IStub, parseReport } from '../protocol';
import { Report, ReportNotice, newTitleId } from '../report/report';
import type { IReportState, OnAction } from '../report/state';
import { title } from '../report/title';
import type { IWords } from '../text/messages';
import { plain } from '../text/plain';
import { type IGpuMemory, MIME_TYPE } from '../tokens';
import type { Desk, DeskOf } from './desk';
import type { ReportModel } from './model';
import type { Offers } from './offers';
import { cellAround, type IPlace, type Places, promptOf } from './place';

interface IOptions {
  readonly memory: IGpuMemory;
  readonly places: Places;
  readonly deskOf: DeskOf;
  readonly offers: Offers;
  readonly announcer: Announcer;
  /** Dialogs that ask for confirmation before a kernel is restarted. */
  readonly dialogs: ISessionContextDialogs;
  readonly words: IWords;
}

/**
 * Renders the report of an output, and connects it to the kernel of the notebook or
 * console that contains it.
 */
export class ReportRenderer extends Widget implements IRenderMime.IRenderer {
  constructor(private readonly _options: IOptions) {
    super();
    this._drawing = new Drawing(this.node);
    _options.memory.currentChanged.connect(this._bind, this);
    _options.offers.changed.connect(this._draw, this);
  }

  /** Read the data of the output; it is untrusted even if the notebook is trusted. */
  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this._data = model.data;
    this._saved = parseReport(model.data[MIME_TYPE]);
    this._bind();
    this._draw();
    if (this._isComplete()) {
      // Also when no event announced it, as on a page that was hidden.
      void this._model?.complete();
    }
    return Promise.resolve();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._setPlace(null);
    this._setDesk(null);
    this._options.memory.currentChanged.disconnect(this._bind, this);
    this._options.offers.changed.disconnect(this._draw, this);
    this._drawing.dispose();
    super.dispose();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._bind();
  }

  /** Find the kernel around this widget; a kernel may appear later, or change. */
  private _bind(): void {
    if (this.isDisposed || !this.isAttached || this._saved === null) {
      return;
    }
    const place = this._options.places.find(this.node);
    const memory = place && memoryOf(place, this._options.memory);
    this._setPlace(place);
    this._setDesk(memory ? this._options.deskOf(memory, this._saved) : null);
  }

  private _setPlace(place: IPlace | null): void {
    const before = this._place?.sessionContext;
    const after = place?.sessionContext;
    this._place = place;
    if (before !== after) {
      before?.kernelChanged.disconnect(this._onKernelChanged, this);
      after?.kernelChanged.connect(this._onKernelChanged, this);
    }
  }

  /** Handle a kernel change, after all other listeners. */
  private _onKernelChanged(): void {
    void Promise.resolve().then(() => {
      this._bind();
    });
  }

  private _setDesk(desk: Desk | null): void {
    if (desk === this._desk) {
      return;
    }
    this._desk?.model.changed.disconnect(this._onReport, this);
    this._desk = desk;
    desk?.model.changed.connect(this._onReport, this);
    this._onReport();
  }

  private get _model(): ReportModel | null {
    return this._desk?.model ?? null;
  }

  private get _report(): IReport | null {
    const saved = this._saved !== null && 'parts' in this._saved;
    return this._model?.report ?? (saved ? (this._saved as IReport) : null);
  }

  private _isComplete(): boolean {
    const saved = this._saved;
    return saved !== null && 'looking' in saved && !saved.looking;
  }

  private get _state(): IReportState {
    const model = this._model;
    const panel = this._place?.panel ?? null;
    const runs = Object.entries(model?.runs ?? {});
    return {
      trust: model?.trust ?? 'saved',
      editable: panel !== null,
      released: model?.trust === 'confirmed' ? model.released : null,
      // As the prompts of the cells are now.
      runs: Object.fromEntries(
        runs.map(([id, cells]) => [
          id,
          cells.map(cell => promptOf(panel, cell))
        ])
      ),
      said: this._said,
      tried: model?.tried ?? null,
      remedies: model?.remedies ?? {}
    };
  }

  /** Handle a new or more complete copy of the helper. */
  private _onReport(): void {
    if (!this.isDisposed && this._desk && this._place?.panel) {
      void this._options.offers.prepare(this._desk, this._place.panel);
    }
    this._draw();
  }

  private _draw(): void {
    if (this.isDisposed) {
      return;
    }
    const report = this._report;
    const { announcer, offers, words } = this._options;
    this._drawing.draw(
      report === null ? (
        this._notice()
      ) : (
        <Report
          {...words}
          report={report}
          state={this._state}
          offers={offers}
          onAction={this._onAction}
          titleId={this._titleId}
          opened={this._opened}
        />
      )
    );
    if (report !== null && this._model?.takeNews()) {
      announcer.announce(plain(title(words, report)));
    }
  }

  /** Why there is no report to show, above the text of its output. */
  private _notice(): React.JSX.Element {
    const { trans } = this._options.words;
    if (this._saved === null) {
      const text = this._data['text/plain'];
      return (
        <>
          <ReportNotice text={trans.__('This saved report cannot be read.')} />
          {typeof text === 'string' && <pre>{text}</pre>}
        </>
      );
    }
    return (
      <ReportNotice
        text={
          this._state.trust === 'asking'
            ? trans.__('Asking the kernel for the details…')
            : trans.__('The details of this report were not saved.')
        }
      />
    );
  }

  private async _press(id: string, remedyId: string | null): Promise<void> {
    const { _place: place, _report: report } = this;
    if (report === null) {
      return;
    }
    const { announcer, dialogs, offers, words } = this._options;
    const panel = place?.panel ?? null;
    const result = await offers.press(id, remedyId, {
      report,
      words,
      desk: this._desk,
      site: panel && { panel, cellId: cellAround(panel, this.node) },
      restart: async () => place && dialogs.restart(place.sessionContext)
    });
    if (result !== null) {
      this._said = result;
      announcer.announce(result);
      this._draw();
    }
  }

  private readonly _onAction: OnAction = (id, remedyId) => {
    void this._press(id, remedyId);
  };

  private readonly _drawing: Drawing;
  private readonly _titleId = newTitleId();
  private readonly _opened = new Set<string>();
  private _said: string | null = null;
  private _data: IRenderMime.IMimeModel['data'] = {};
  private _saved: IReport | IStub | null = null;
  private _place: IPlace | null = null;
  private _desk: Desk | null = null;
}
