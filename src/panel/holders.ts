import { Measurement } from '../kernel/measurement';
import { Task } from '../kernel/task';
import { Observable } from '../observable';
import type { IHolders } from '../protocol';
import type { IKernelMemory } from '../tokens';

/**
 * The holders of one kernel's memory, as last measured, and which rows are open. Exists
 * as long as its kernel.
 */
export class HoldersModel extends Observable {
  constructor(memory: IKernelMemory) {
    super();
    this.measurement = new Measurement(memory, 'holders');
    this.measurement.changed.connect(this._onMeasured, this);
    memory.disposed.connect(this.dispose, this);
  }

  /** Measured while it is displayed. */
  readonly measurement: Measurement<'holders'>;

  /** Ids of the rows that show their parts. */
  readonly expanded = new Set<string>();

  /** The search for what retains an object of the last measurement, if any. */
  path(id: string): Task<'path'> | undefined {
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

  /** Find what keeps an object alive. */
  search(id: string): void {
    const { memory } = this.measurement;
    const task = new Task(memory, 'path', { holder_id: id });
    task.changed.connect(this.emit, this);
    this._paths.set(id, task);
    this.emit();
  }

  override dispose(): void {
    this.measurement.dispose();
    super.dispose();
  }

  /** Drop searches, whose objects are of the previous measurement. */
  private _onMeasured(): void {
    const { last } = this.measurement;
    if (last !== this._last) {
      this._last = last;
      this._paths.clear();
    }
    this.emit();
  }

  private readonly _paths = new Map<string, Task<'path'>>();
  private _last: IHolders | null = null;
}
