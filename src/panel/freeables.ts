import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import { formatBytes } from '../format';
import { Checklist } from '../freeing/checklist';
import { toConfirm } from '../freeing/items';
import type { IFreeingServices } from '../freeing/services';
import type { IHeld, IItem } from '../protocol';
import type { IKernelMemory } from '../tokens';

/**
 * What can be freed in the kernel that the panel shows, chosen in its list or
 * by the row of a holder. A notification tells what came of it.
 *
 * The panel's model constructs and disposes it.
 */
export class Freeables implements IDisposable {
  constructor(
    memory: IKernelMemory,
    private readonly _services: IFreeingServices
  ) {
    this.checklist = new Checklist(memory);
    this.checklist.changed.connect(this._onChecklist, this);
  }

  readonly checklist: Checklist;

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Whether a release is on its way. */
  get isFreeing(): boolean {
    return this._isFreeing;
  }

  get isDisposed(): boolean {
    return this.checklist.isDisposed;
  }

  /** Insert a cell that frees items; `null` where no notebook can take it. */
  get insertCell(): ((items: readonly IItem[]) => void) | null {
    const { insertCell } = this._services;
    return (
      insertCell &&
      (items => {
        insertCell(this.checklist.memory, idsOf(items));
      })
    );
  }

  /** The item that deletes the name of a holder. */
  deletion({ name, origin }: IHeld): IItem | null {
    return origin === 'names'
      ? this.checklist.find(({ names }) => names.includes(name))
      : null;
  }

  /** The item that moves what a holder names to the CPU. */
  offload({ name, origin }: IHeld): IItem | null {
    return origin === 'names'
      ? this.checklist.find(({ id }) => id === `offload:${name}`)
      : null;
  }

  /** Free items once the person agrees to their price. */
  async free(items: readonly IItem[]): Promise<void> {
    const prices = toConfirm(items);
    if (prices.length === 0 || (await this._services.confirm(prices))) {
      await this._release(items, prices);
    }
  }

  /** Take back what was done before. Pressing is agreeing. */
  async restore(id: string): Promise<void> {
    const items = [{ id }];
    await this._release(items, items);
  }

  dispose(): void {
    this.checklist.dispose();
    Signal.clearData(this);
  }

  private async _release(
    items: readonly Pick<IItem, 'id'>[],
    confirmed: readonly Pick<IItem, 'id'>[]
  ): Promise<void> {
    if (this._isFreeing) {
      return;
    }
    this._set(true);
    try {
      await this._services.release(
        this.checklist.memory,
        idsOf(items),
        idsOf(confirmed)
      );
    } finally {
      this._set(false);
    }
  }

  private _onChecklist(): void {
    this._changed.emit();
  }

  private _set(isFreeing: boolean): void {
    this._isFreeing = isFreeing;
    this._changed.emit();
  }

  private readonly _changed = new Signal<this, void>(this);
  private _isFreeing = false;
}

/**
 * What can be freed for nothing, unused cache included; empty: not known, or not
 * possible at all.
 */
export function describeFreeable(freeables: Freeables | null): string {
  const checklist = freeables?.checklist;
  if (!checklist?.items || checklist.obstacle) {
    return '';
  }
  const { freed_bytes, returned_bytes } = checklist.gainOf(
    checklist.items.filter(({ blocked, safe }) => safe && blocked === null)
  );
  return formatBytes(freed_bytes + returned_bytes);
}

function idsOf(items: readonly Pick<IItem, 'id'>[]): string[] {
  return items.map(({ id }) => id);
}
