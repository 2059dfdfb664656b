import type { TranslationBundle } from '@jupyterlab/translation';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import type * as React from 'react';

import type { History } from '../memory/history';
import { Observable } from '../observable';
import type { IDevice } from '../protocol';
import type { IPanelProps, PanelModel } from './model';

/** Readings of a device that the kernel itself does not have. */
export interface IRecorded {
  readonly device: IDevice;
  readonly history: History;
}

/** A section of the panel. */
export interface ISection {
  readonly id: string;
  /** Position in the panel, from the top. */
  readonly rank: number;
  /** Position after an out-of-memory error, if different. */
  readonly failedRank?: number;
  /** Height in pixels below which it is not reduced, unless its content is smaller. */
  readonly minHeight?: number;
  readonly label: (trans: TranslationBundle) => string;
  /** The text at the right of the title. */
  readonly total: (model: PanelModel) => string;
  /** Whether it is in the panel; by default, while the kernel has a device. */
  readonly isShown?: (model: PanelModel) => boolean;
  /** What redraws the panel when it changes, besides the state of the kernel. */
  readonly follows?: (
    model: PanelModel
  ) => { readonly changed: ISignal<unknown, void> } | null;
  /** Measure what the section shows until the result is disposed. */
  readonly look?: (model: PanelModel) => IDisposable | null;
  /** Readings that the timeline can show as well. */
  readonly recorded?: (model: PanelModel) => IRecorded | null;
  readonly Body: React.FunctionComponent<IPanelProps>;
}

/**
 * The registry of sections. Emits when one is added or removed.
 */
export class Sections extends Observable {
  add(section: ISection): IDisposable {
    this._sections.add(section);
    this.emit();
    return new DisposableDelegate(() => {
      this._sections.delete(section);
      this.emit();
    });
  }

  get all(): readonly ISection[] {
    return [...this._sections];
  }

  private readonly _sections = new Set<ISection>();
}
