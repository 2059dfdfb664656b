import { type Release, Task } from '../kernel/task';
import { idsOf, toConfirm } from '../memory/items';
import { Observable } from '../observable';
import type { IItem, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { Checklist } from './checklist';

/** What giving memory back needs of the application. */
export interface IReleaseServices {
  /** Asks a person for the price of items; resolves to whether they agree. */
  confirm(items: readonly IItem[]): Promise<boolean>;

  /** Tells in a notification how a release goes. Never rejects. */
  notify(session: ReleaseSession, args: RequestArgs<'release'>): Promise<void>;
}

/**
 * Giving memory back in one kernel: what can be freed, what of it is chosen, and
 * the releases of this page that are on their way. All surfaces show this one.
 *
 * Lives as long as its kernel, whatever is focused.
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

  /** Whether a release of this page is on its way. */
  get isFreeing(): boolean {
    return this._releases.size > 0;
  }

  /** Ask the kernel to free; the caller shows how that goes. */
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

  /** The same, told in a notification. Never rejects. */
  notify(args: RequestArgs<'release'>): Promise<void> {
    return this._services.notify(this, args);
  }

  /** Free items once the person agrees to their price, told in a notification. */
  async free(items: readonly IItem[]): Promise<void> {
    const confirmed = await this.confirm(items);
    if (confirmed && !this.isFreeing) {
      await this.notify({ items: idsOf(items), confirmed, report_id: null });
      // What was chosen holds for once.
      this.checklist.choices = new Map();
    }
  }

  /** Take back what was done: these items say how. Pressing is agreeing. */
  async undo(ids: readonly string[]): Promise<void> {
    await this.notify({
      items: [...ids],
      confirmed: [...ids],
      report_id: null
    });
  }

  /**
   * Ask for consent to the price of items, where they have one. Resolves to the
   * ids of those that were agreed to, or to `null`: to none.
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
