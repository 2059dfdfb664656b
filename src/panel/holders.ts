import { Measurement } from '../kernel/measurement';
import { Task } from '../kernel/task';
import { Observable } from '../observable';
import type { IHolders, IPath } from '../protocol';
import type { IKernelMemory } from '../tokens';

/** How far the search for what holds one object has come. */
export type PathStep =
  | { readonly kind: 'searching'; readonly task: Task<'path'> }
  | { readonly kind: 'found'; readonly path: IPath }
  | { readonly kind: 'failed'; readonly reason: unknown };

/**
 * Who holds the memory of one kernel, as last measured, and which rows are open.
 * Lives as long as its kernel.
 */
export class HoldersModel extends Observable {
  constructor(memory: IKernelMemory) {
    super();
    this.measurement = new Measurement(memory, 'holders');
    this.measurement.changed.connect(this._onMeasured, this);
    memory.disposed.connect(this.dispose, this);
  }

  /** It is measured while somebody looks. */
  readonly measurement: Measurement<'holders'>;

  /** The rows that show what is in them, by id. */
  readonly expanded = new Set<string>();

  /** The search for what holds an object of the last measurement, if any. */
  path(id: string): PathStep | undefined {
    return this._paths.get(id);
  }

  /** Open or close a row. */
  toggle(id: string, isExpanded = !this.expanded.has(id)): void {
    if (isExpanded) {
      this.expanded.add(id);
    } else {
      this.expanded.delete(id);
    }
    this.emit();
  }

  /** Find what keeps an object alive. Never rejects. */
  async search(id: string): Promise<void> {
    const { memory } = this.measurement;
    const task = new Task(memory, 'path', { holder_id: id });
    task.changed.connect(this.emit, this);
    this._setPath(id, { kind: 'searching', task });
    try {
      this._setPath(id, { kind: 'found', path: await task.ended });
    } catch (reason) {
      this._setPath(id, { kind: 'failed', reason });
    }
  }

  override dispose(): void {
    this.measurement.dispose();
    super.dispose();
  }

  /** What was found is of the rows that were there. */
  private _onMeasured(): void {
    const { last } = this.measurement;
    if (last !== this._last) {
      this._last = last;
      this._paths.clear();
    }
    this.emit();
  }

  private _setPath(id: string, step: PathStep): void {
    this._paths.set(id, step);
    this.emit();
  }

  private readonly _paths = new Map<string, PathStep>();
  private _last: IHolders | null = null;
}
