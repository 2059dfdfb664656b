import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import type * as React from 'react';

/** A section of the panel, drawn from a model. */
export interface ISection<M> {
  readonly id: string;
  /** Position in the panel, from the top. */
  readonly rank: number;
  /** Position after an out-of-memory error, if different. */
  readonly failedRank?: number;
  /** Height in pixels below which it is not reduced, unless its content is smaller. */
  readonly minHeight?: number;
  readonly label: (trans: TranslationBundle) => string;
  /** The text at the right of the title. */
  readonly total: (model: M) => string;
  /** Whether it is in the panel; by default, while the kernel has a device. */
  readonly isShown?: (model: M) => boolean;
  /** What redraws the panel when it changes, besides the state of the kernel. */
  readonly follows?: (
    model: M
  ) => { readonly changed: ISignal<unknown, void> } | null;
  /** Measure what the section shows until the result is disposed. */
  readonly look?: (model: M) => IDisposable | null;
  readonly Body: React.FunctionComponent<{ readonly model: M }>;
}
