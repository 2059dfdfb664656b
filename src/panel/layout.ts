import type { IStateDB } from '@jupyterlab/statedb';
import * as v from 'valibot';

import { Observable } from '../observable';

/** A section of the panel, by what it shows. */
export type SectionName =
  | 'Devices'
  | 'FitsOn'
  | 'FreeableList'
  | 'History'
  | 'HolderList'
  | 'Others'
  | 'Workers';

const USUAL: readonly SectionName[] = [
  'FitsOn',
  'Devices',
  'Workers',
  'History',
  'HolderList',
  'FreeableList',
  'Others'
];

/** What can be freed matters more then than how it came about. */
const AFTER_FAILURE: readonly SectionName[] = [
  'FitsOn',
  'Devices',
  'FreeableList',
  'Workers',
  'HolderList',
  'History',
  'Others'
];

/** The sections of a moment, in their order: those of the kernel's devices, and others. */
export function orderOf(
  hasFailed: boolean,
  hasDevices = true,
  hasWorkers = false,
  hasDryRun = false
): readonly SectionName[] {
  const order = hasFailed ? AFTER_FAILURE : USUAL;
  return order.filter(name =>
    name === 'FitsOn' ? hasDryRun : name === 'Workers' ? hasWorkers : hasDevices
  );
}

/** Under which it is kept. */
const KEY = 'gpu-headroom:panel';

/** No section is made lower than this. */
const LEAST_PX = 48;

/** What is kept was perhaps written by another version, or by hand. */
const KeptSchema = v.record(
  v.string(),
  v.object({
    isOpen: v.fallback(v.boolean(), true),
    height: v.fallback(
      v.nullable(v.pipe(v.number(), v.minValue(LEAST_PX))),
      null
    )
  })
);

type Kept = v.InferOutput<typeof KeptSchema>;

/**
 * Which sections of the panel a person has closed, and how high others were made.
 */
export class PanelLayout extends Observable {
  /** @param _store - where it is kept from page to page; `null`: nowhere */
  constructor(private readonly _store: IStateDB | null = null) {
    super();
    void this._restore();
  }

  isOpen(name: SectionName): boolean {
    return this._kept[name]?.isOpen ?? true;
  }

  /** In pixels; `null`: as its content needs. */
  heightOf(name: SectionName): number | null {
    return this._kept[name]?.height ?? null;
  }

  toggle(name: SectionName): void {
    this._keep(name, { isOpen: !this.isOpen(name) });
  }

  /** Make the content of a section so high; `null`: as high as it needs. */
  resize(name: SectionName, height: number | null): void {
    const bounded = height === null ? null : Math.max(LEAST_PX, height);
    this._keep(name, { height: bounded });
  }

  private _keep(name: SectionName, change: Partial<Kept[string]>): void {
    const before = { isOpen: this.isOpen(name), height: this.heightOf(name) };
    this._kept = { ...this._kept, [name]: { ...before, ...change } };
    void this._store?.save(KEY, this._kept);
    this.emit();
  }

  /** What a person does before it is there is newer. */
  private async _restore(): Promise<void> {
    try {
      const kept = v.parse(KeptSchema, (await this._store?.fetch(KEY)) ?? {});
      this._kept = { ...kept, ...this._kept };
      this.emit();
    } catch (reason) {
      console.warn('GPU Headroom: its panel opens as at first.', reason);
    }
  }

  private _kept: Kept = {};
}
