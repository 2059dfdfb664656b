import { Clipboard, type ISessionContextDialogs } from '@jupyterlab/apputils';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { Card, CardNotice, newTitleId } from '../card/card';
import type { ICardState, OnAction } from '../card/state';
import { suggestedCode } from '../card/suggestion';
import { title } from '../card/title';
import { memoryOf } from '../kernel/follower';
import type { Announcer } from '../lab/announcer';
import { Drawing } from '../lab/drawing';
import { type IReport, type IStub, parseReport } from '../protocol';
import type { IWords } from '../text/messages';
import { plain } from '../text/plain';
import { type IGpuMemory, MIME_TYPE } from '../tokens';
import type { ReportController } from './controller';
import type { ReportModel } from './model';
import type { Offers } from './offers';
import { cellAround, type IPlace, type Places, promptOf } from './place';
import type { Reports } from './reports';

interface IOptions {
  readonly memory: IGpuMemory;
  readonly places: Places;
  /** Shared by all cards of the page. */
  readonly reports: Reports;
  readonly offers: Offers;
  readonly announcer: Announcer;
  /** Ask before a kernel is restarted. */
  readonly dialogs: ISessionContextDialogs;
  readonly words: IWords;
}

/**
 * Shows the report of an output as a card, and connects it to the kernel of the
 * notebook or console that it stands in.
 */
export class ReportRenderer extends Widget implements IRenderMime.IRenderer {
  constructor(private readonly _options: IOptions) {
    super();
    this._drawing = new Drawing(this.node);
    _options.memory.currentChanged.connect(this._bind, this);
    _options.offers.changed.connect(this._draw, this);
  }

  /** Read what the output holds; it is untrusted whatever the notebook says. */
  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this._data = model.data;
    this._saved = parseReport(model.data[MIME_TYPE]);
    this._bind();
    this._draw();
    if (this._isComplete()) {
      // Also where no event told of it, as on a page that was hidden.
      void this._model?.complete();
    }
    return Promise.resolve();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._setPlace(null);
    this._setController(null);
    this._options.memory.currentChanged.disconnect(this._bind, this);
    this._options.offers.changed.disconnect(this._draw, this);
    this._drawing.dispose();
    super.dispose();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._bind();
  }

  /** Find the kernel around this widget; a kernel may come later, or change. */
  private _bind(): void {
    if (this.isDisposed || !this.isAttached || this._saved === null) {
      return;
    }
    const place = this._options.places.find(this.node);
    const memory = place && memoryOf(place, this._options.memory);
    this._setPlace(place);
    this._setController(
      memory ? this._options.reports.get(memory, this._saved) : null
    );
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

  /** After everybody else has heard of the new kernel. */
  private _onKernelChanged(): void {
    void Promise.resolve().then(() => {
      this._bind();
    });
  }

  private _setController(controller: ReportController | null): void {
    if (controller === this._controller) {
      return;
    }
    this._controller?.model.changed.disconnect(this._onReport, this);
    this._controller = controller;
    controller?.model.changed.connect(this._onReport, this);
    this._onReport();
  }

  private get _model(): ReportModel | null {
    return this._controller?.model ?? null;
  }

  private get _report(): IReport | null {
    const saved = this._saved !== null && 'parts' in this._saved;
    return this._model?.report ?? (saved ? (this._saved as IReport) : null);
  }

  private _isComplete(): boolean {
    const saved = this._saved;
    return saved !== null && 'looking' in saved && !saved.looking;
  }

  private get _state(): ICardState {
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
          cells.map(each => promptOf(panel, each))
        ])
      ),
      copied: this._copied,
      tried: model?.tried ?? null,
      remedies: model?.remedies ?? {}
    };
  }

  /** The helper has another one, or says more of it. */
  private _onReport(): void {
    if (!this.isDisposed && this._place?.panel) {
      void this._controller?.prepare(this._place.panel);
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
        <Card
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

  /** Why there is no report to show, over what its output says to everybody. */
  private _notice(): React.JSX.Element {
    const { trans } = this._options.words;
    if (this._saved === null) {
      const text = this._data['text/plain'];
      return (
        <>
          <CardNotice text={trans.__('This saved report cannot be read.')} />
          {typeof text === 'string' && <pre>{text}</pre>}
        </>
      );
    }
    return (
      <CardNotice
        text={
          this._state.trust === 'asking'
            ? trans.__('Asking the kernel for the details…')
            : trans.__('The details of this report were not saved.')
        }
      />
    );
  }

  private async _act(id: string, remedyId: string | null): Promise<void> {
    switch (id) {
      case 'copy':
      case 'copy-evidence':
        await this._copy(id);
        break;
      case 'copy-code':
        this._copyCode(remedyId);
        break;
      case 'restart':
        if (this._place) {
          await this._options.dialogs.restart(this._place.sessionContext);
        }
        break;
      default: {
        const panel = this._place?.panel ?? null;
        const site = panel && { panel, cellId: cellAround(panel, this.node) };
        await this._controller?.act(id, remedyId, site);
      }
    }
  }

  private async _copy(id: 'copy' | 'copy-evidence'): Promise<void> {
    const { _report: report } = this;
    if (report === null) {
      return;
    }
    const { announcer, words } = this._options;
    const { trans } = words;
    if (id === 'copy') {
      const { markdownOf } = await import('./markdown');
      Clipboard.copyToSystem(markdownOf(words, report, this._failedSource()));
      this._copied = trans.__(
        'Copied as Markdown, with the lines around the failing one. It holds no data.'
      );
    } else {
      const { evidenceText } = await import('./evidence');
      Clipboard.copyToSystem(evidenceText(report));
      this._copied = trans.__(
        'Copied, without code and without names of yours. Paste it into an issue of GPU Headroom, and say what the cause was.'
      );
    }
    announcer.announce(this._copied);
    this._draw();
  }

  private _copyCode(remedyId: string | null): void {
    const report = this._model?.report;
    const remedy = report?.remedies.find(({ id }) => id === remedyId);
    const code = remedy && suggestedCode(remedy);
    if (code) {
      Clipboard.copyToSystem(code);
      const text = this._options.words.trans.__('Copied.');
      this._model?.setRemedy(remedy.id, { status: 'copied', text });
    }
  }

  /** The code of the cell that failed, as it is now. */
  private _failedSource(): string | null {
    const panel = this._place?.panel ?? null;
    const id = panel && cellAround(panel, this.node);
    const cells = [...(panel?.model?.cells ?? [])];
    const cell = cells.find(each => each.id === id);
    return cell?.sharedModel.getSource() ?? null;
  }

  private readonly _onAction: OnAction = (id, remedyId) => {
    void this._act(id, remedyId);
  };

  private readonly _drawing: Drawing;
  private readonly _titleId = newTitleId();
  private readonly _opened = new Set<string>();
  private _copied: string | null = null;
  private _data: IRenderMime.IMimeModel['data'] = {};
  private _saved: IReport | IStub | null = null;
  private _place: IPlace | null = null;
  private _controller: ReportController | null = null;
}
