import { type Release, Task } from '../kernel/task';
import { idsOf, toConfirm } from '../memory/items';
import { Observable } from '../observable';
import type { IItem, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { Checklist } from './checklist';

/** Services of the application that releases need. */
export interface IReleaseServices {
  /** Asks the user to confirm the costs of items; resolves to whether they agree. */
  confirm(items: readonly IItem[]): Promise<boolean>;

  /** Shows a release in a notification. Never rejects. */
  notify(session: ReleaseSession, args: RequestArgs<'release'>): Promise<void>;
}

/**
 * Releases in one kernel: what can be freed, the user's selection, and the releases of
 * this front end in progress. Shared by all views.
 *
 * Exists as long as its kernel, whatever is focused.
 */
export class ReleaseSession extends Observable {
  constructor(
    readonly memory: IKernelMemory,
    private readonly _services: IReleaseServices,
    isShared: () => boolean
  ) {
    super();
    this.checklist = new Checklist(memory, isShared);
    this.checklist.changed.connect(this.emit, this);
    memory.disposed.connect(this.dispose, this);
  }

  readonly checklist: Checklist;

  /** Whether a release of this front end is in progress. */
  get isFreeing(): boolean {
    return this._releases.size > 0;
  }

  /** Start a release; the caller shows its progress. */
  begin(args: RequestArgs<'release'>): Release {
    const release = new Task(this.memory, 'release', args);
    this._releases.add(release);
    release.changed.connect(() => {
      if (release.step === 'ended') {
        this._releases.delete(release);
      }
      this.emit();
    });
    this.emit();
    return release;
  }

  /** Start a release, shown in a notification. Never rejects. */
  notify(args: RequestArgs<'release'>): Promise<void> {
    return this._services.notify(this, args);
  }

  /** Free items once the user agrees to their costs, shown in a notification. */
  async free(items: readonly IItem[]): Promise<void> {
    const confirmed = await this.confirm(items);
    if (confirmed && !this.isFreeing) {
      await this.notify({ items: idsOf(items), confirmed, report_id: null });
      // A selection applies only once.
      this.checklist.choices = new Map();
    }
  }

  /** Undo earlier actions, by the ids of their items. The button press is the consent. */
  async undo(ids: readonly string[]): Promise<void> {
    await this.notify({
      items: [...ids],
      confirmed: [...ids],
      report_id: null
    });
  }

  /**
   * Ask for consent to the costs of items, if they have any. Resolves to the ids of the
   * confirmed items; `null`: none.
   */
  async confirm(items: readonly IItem[]): Promise<string[] | null> {
    const priced = toConfirm(items);
    const isAgreed =
      priced.length === 0 || (await this._services.confirm(priced));
    return isAgreed ? idsOf(priced) : null;
  }

  override dispose(): void {
    this.checklist.dispose();
    super.dispose();
  }

  private readonly _releases = new Set<Release>();
}
