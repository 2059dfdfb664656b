import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import type { GaugeModel } from './model';

/**
 * Says aloud what the gauge finds worth saying, without taking the focus.
 */
export class Announcer implements IDisposable {
  constructor(model: GaugeModel) {
    this._node.className = 'jp-GpuHeadroom-announcer';
    this._node.setAttribute('role', 'status');
    this._node.setAttribute('aria-live', 'polite');
    document.body.append(this._node);
    model.announced.connect(this._onAnnounced, this);
  }

  get isDisposed(): boolean {
    return !this._node.isConnected;
  }

  dispose(): void {
    this._node.remove();
    Signal.clearData(this);
  }

  private _onAnnounced(_model: GaugeModel, sentence: string): void {
    this._node.textContent = sentence;
  }

  private readonly _node = document.createElement('div');
}
