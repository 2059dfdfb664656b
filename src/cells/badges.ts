import { type Cell, CodeCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';
import { Throttler } from '@lumino/polling';
import { Signal } from '@lumino/signaling';
import type { PanelLayout } from '@lumino/widgets';

import { KernelFollower } from '../kernel/follower';
import { isBusy } from '../memory/model';
import { type IShortage, shortageOf } from '../memory/shortage';
import type { Event, ICell } from '../protocol';
import type { ReleaseSession } from '../release/session';
import type { ReleaseSessions } from '../release/sessions';
import type { Settings } from '../settings';
import type { IGpuMemory, IKernelMemory } from '../tokens';
import { readBadge } from './badge';
import { BadgeView, type IOffer } from './badgeview';
import { DocumentKernel } from './documentkernel';
import { LiveRun } from './liverun';
import { byCell, hasRunOther } from './runs';

import '../../style/cells.css';

interface IOptions {
  readonly panel: NotebookPanel;
  readonly memory: IGpuMemory;
  readonly settings: Settings;
  readonly trans: TranslationBundle;
  /** Source of what can be freed; `null`: nothing is offered. */
  readonly sessions: ReleaseSessions | null;
  /** Show more about a cell. */
  readonly open: () => void;
}

/** Minimum interval between renders, so that numbers stay readable. */
const REDRAW_MS = 1000;

/**
 * The badges of one notebook: below each cell, the effect of its runs on memory.
 *
 * They are not saved: they come from the helper, which keeps the runs.
 */
export class Badges {
  /** Disposed with the notebook. */
  constructor(private readonly _options: IOptions) {
    const { panel, memory, settings } = _options;
    this._redraw = new Throttler(
      () => {
        this._drawAll();
      },
      { limit: REDRAW_MS, edge: 'trailing' }
    );
    panel.disposed.connect(this._stop, this);
    panel.content.activeCellChanged.connect(this._drawAll, this);
    panel.content.modelChanged.connect(this._onModel, this);
    this._onModel();
    settings.changed.connect(this._drawAll, this);
    this._kernel = new KernelFollower(new DocumentKernel(panel, memory));
    this._kernel.changed.connect(this._drawAll, this);
    this._kernel.stateChanged.connect(this._onState, this);
    this._kernel.eventReceived.connect(this._onEvent, this);
    this._drawAll();
  }

  private _stop(): void {
    this._redraw.dispose();
    this._looking?.dispose();
    this._kernel.dispose();
    Signal.disconnectReceiver(this);
  }

  private _onState(_: KernelFollower, { state }: IKernelMemory): void {
    this._live.observe(state.sample);
    void this._redraw.invoke();
  }

  /** The start and the end of a cell show at once, on that cell. */
  private _onEvent({ current }: KernelFollower, event: Event): void {
    if (event.type === 'cell') {
      this._live.follow(event, current?.state.sample ?? null);
      this._drawThose(({ model }) => model.id === event.cell_id);
    }
  }

  private _drawAll(): void {
    this._drawThose(() => true);
  }

  private _drawThose(isMeant: (cell: CodeCell) => boolean): void {
    const { content } = this._options.panel;
    if (content.isDisposed) {
      return;
    }
    const isWanted = this._options.settings.current.showBadges;
    const state = this._kernel.current?.state;
    const runs = byCell(isWanted ? (state?.runs ?? []) : []);
    const runsOf = (cell: Cell | null): readonly ICell[] =>
      runs.get(cell?.model.id ?? '') ?? [];
    const { activeCell } = content;
    // The need of other code is unknown.
    const shortage =
      activeCell && !isEdited(activeCell, runsOf(activeCell))
        ? shortageOf(runsOf(activeCell), state?.sample ?? null)
        : null;
    const offer = this._offerOf(shortage);
    for (const cell of content.widgets) {
      if (cell instanceof CodeCell && !cell.model.isDisposed && isMeant(cell)) {
        const isActive = cell === activeCell;
        this._draw(
          cell,
          runsOf(cell),
          isActive ? shortage : null,
          isActive ? offer : null
        );
      }
    }
  }

  private _draw(
    cell: CodeCell,
    runs: readonly ICell[],
    shortage: IShortage | null,
    offer: IOffer | null
  ): void {
    const state = this._kernel.current?.state;
    const view = this._views.get(cell);
    if (!state || runs.length === 0) {
      view?.draw(null, null, null);
      return;
    }
    const { lastOom } = state;
    const live = this._live.memory(cell.model.id);
    (view ?? this._add(cell)).draw(
      readBadge(runs, live, state.runs, isEdited(cell, runs)),
      shortage,
      lastOom?.cell_id === cell.model.id ? lastOom : null,
      offer
    );
  }

  /**
   * Offer for a shortage; what can be freed is measured only while the active cell has
   * one.
   */
  private _offerOf(shortage: IShortage | null): IOffer | null {
    const { current } = this._kernel;
    const session =
      shortage && current && !isBusy(current.state)
        ? (this._options.sessions?.get(current) ?? null)
        : null;
    if (session !== this._asked) {
      this._looking?.dispose();
      this._asked?.changed.disconnect(this._drawSoon, this);
      this._asked = session;
      session?.changed.connect(this._drawSoon, this);
      this._looking = session?.checklist.plan.show() ?? null;
    }
    if (!shortage || !session || session.isFreeing) {
      return null;
    }
    const { checklist } = session;
    const items = checklist.safe;
    const bytes = checklist.gainOf(items).freed_bytes;
    return bytes >= shortage.needed.least_bytes - shortage.headroom_bytes
      ? { bytes, accept: () => void session.free(items) }
      : null;
  }

  /** A cell that is restored, as by an undo, has its badge again. */
  private _onModel(): void {
    const { model } = this._options.panel.content;
    model?.cells.changed.connect(this._drawAll, this);
    model?.contentChanged.connect(this._drawSoon, this);
  }

  private _drawSoon(): void {
    void this._redraw.invoke();
  }

  private _add(cell: CodeCell): BadgeView {
    const view = new BadgeView(this._options.trans, this._options.open);
    this._views.set(cell, view);
    void insert(cell, view);
    return view;
  }

  private readonly _kernel: KernelFollower;
  private readonly _redraw: Throttler;
  private readonly _views = new WeakMap<Cell, BadgeView>();
  private readonly _live = new LiveRun();
  private _asked: ReleaseSession | null = null;
  private _looking: IDisposable | null = null;
}

function isEdited(cell: Cell, runs: readonly ICell[]): boolean {
  return hasRunOther(runs, cell.model.sharedModel.getSource());
}

/**
 * Insert a badge below the output, above the cell's footer, once the cell has been
 * built.
 */
async function insert(cell: CodeCell, view: BadgeView): Promise<void> {
  await cell.ready;
  if (!cell.isDisposed) {
    const layout = cell.layout as PanelLayout;
    layout.insertWidget(layout.widgets.length - 1, view);
  }
}
