import { type Cell, CodeCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Throttler } from '@lumino/polling';
import { Signal } from '@lumino/signaling';
import type { PanelLayout } from '@lumino/widgets';

import { byCell } from '../memory/runs';
import type { Event, ICell } from '../protocol';
import type { Settings } from '../settings';
import type { IGpuMemory, IKernelMemory } from '../tokens';
import { readBadge, readShortage } from './badge';
import { BadgeView } from './badgeview';
import { LiveRun } from './liverun';

interface IOptions {
  readonly panel: NotebookPanel;
  readonly memory: IGpuMemory;
  readonly settings: Settings;
  readonly trans: TranslationBundle;
  /** Show more about a cell. */
  readonly open: () => void;
}

/** Numbers change no faster than they can be read. */
const REDRAW_MS = 1000;

/**
 * The badges of one notebook: below each cell, what its runs did to the memory.
 *
 * They are drawn, not saved: they come from the helper, which remembers the runs.
 */
export class Badges {
  /** They go with the notebook. */
  constructor(private readonly _options: IOptions) {
    const { panel, memory, settings } = _options;
    this._redraw = new Throttler(() => {
      this._drawAll();
    }, REDRAW_MS);
    panel.disposed.connect(this._stop, this);
    panel.sessionContext.kernelChanged.connect(this._follow, this);
    panel.content.activeCellChanged.connect(this._drawAll, this);
    memory.currentChanged.connect(this._follow, this);
    settings.changed.connect(this._drawAll, this);
    this._follow();
  }

  private _stop(): void {
    this._redraw.dispose();
    Signal.disconnectReceiver(this);
  }

  private _follow(): void {
    const kernel = this._options.panel.sessionContext.session?.kernel;
    const found = kernel ? this._options.memory.find(kernel) : null;
    if (found !== this._kernel) {
      this._kernel?.stateChanged.disconnect(this._onState, this);
      this._kernel?.eventReceived.disconnect(this._onEvent, this);
      this._kernel = found;
      found?.stateChanged.connect(this._onState, this);
      found?.eventReceived.connect(this._onEvent, this);
    }
    this._drawAll();
  }

  private _onState(kernel: IKernelMemory): void {
    this._live.observe(kernel.state.sample);
    void this._redraw.invoke();
  }

  /** The start and the end of a cell show at once, on that cell. */
  private _onEvent(kernel: IKernelMemory, event: Event): void {
    if (event.type === 'cell') {
      this._live.follow(event, kernel.state.sample);
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
    const runs = byCell(isWanted ? (this._kernel?.state.runs ?? []) : []);
    for (const cell of content.widgets) {
      if (cell instanceof CodeCell && !cell.isDisposed && isMeant(cell)) {
        this._draw(cell, runs.get(cell.model.id) ?? []);
      }
    }
  }

  private _draw(cell: CodeCell, runs: readonly ICell[]): void {
    const state = this._kernel?.state;
    const known = this._views.get(cell);
    if (!state || runs.length === 0) {
      known?.draw(null, null, null);
      return;
    }
    const isActive = this._options.panel.content.activeCell === cell;
    const { lastOom, sample } = state;
    (known ?? this._add(cell)).draw(
      readBadge(runs, this._live.memory(cell.model.id)),
      isActive ? readShortage(runs, sample) : null,
      lastOom?.cell_id === cell.model.id ? lastOom : null
    );
  }

  private _add(cell: CodeCell): BadgeView {
    const view = new BadgeView(this._options.trans, this._options.open);
    this._views.set(cell, view);
    void insert(cell, view);
    return view;
  }

  private readonly _redraw: Throttler;
  private readonly _views = new WeakMap<Cell, BadgeView>();
  private readonly _live = new LiveRun();
  private _kernel: IKernelMemory | null = null;
}

/** Below the output, above the cell's footer: once the cell has been built. */
async function insert(cell: CodeCell, view: BadgeView): Promise<void> {
  await cell.ready;
  if (!cell.isDisposed) {
    const layout = cell.layout as PanelLayout;
    layout.insertWidget(layout.widgets.length - 1, view);
  }
}
