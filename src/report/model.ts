import type { RemedyState, Trust } from '../card/state';
import { lifeOf } from '../memory/model';
import { isReleaseOf } from '../memory/released';
import { Observable } from '../observable';
import type { Event, IReleased, IReport, IStub } from '../protocol';
import type { IKernelMemory } from '../tokens';

/** Unanswered questions after which a report counts as saved text. */
const MAX_FAILURES = 3;

/**
 * What the live helper says about one report, shared by all its cards.
 *
 * Asks again whenever the kernel's life changes: after a restart nobody vouches
 * for the report any more.
 */
export class ReportModel extends Observable {
  constructor(
    readonly memory: IKernelMemory,
    { life_id, report_id }: Pick<IStub, 'life_id' | 'report_id'>
  ) {
    super();
    this._id = { life_id, report_id };
    memory.stateChanged.connect(this._onStateChanged, this);
    memory.eventReceived.connect(this._onEvent, this);
    memory.disposed.connect(this.dispose, this);
    this._onStateChanged();
  }

  get reportId(): string {
    return this._id.report_id;
  }

  get trust(): Trust {
    return this._trust;
  }

  /** The helper's own copy, while it vouches for it. */
  get report(): IReport | null {
    return this._report;
  }

  /** The last release made for this report. */
  get released(): IReleased | null {
    return this._released;
  }

  /** Ids of the cells that a fix runs, by remedy id, as far as asked for. */
  get runs(): Readonly<Record<string, readonly string[]>> {
    return this._runs;
  }

  setRun(remedyId: string, cellIds: readonly string[]): void {
    this._runs = { ...this._runs, [remedyId]: cellIds };
    this.emit();
  }

  get remedies(): Readonly<Record<string, RemedyState>> {
    return this._remedies;
  }

  /**
   * Set where a remedy stands, on all cards of this report.
   */
  setRemedy(remedyId: string, state: RemedyState): void {
    this._remedies = { ...this._remedies, [remedyId]: state };
    this.emit();
  }

  /**
   * True once, soon after the cell ran out of memory: the card is news then,
   * and not when a page is loaded again or shows it a second time.
   */
  takeNews(): boolean {
    const isNews = !this._told && this._isLatest();
    this._told ||= isNews;
    return isNews;
  }

  override dispose(): void {
    this._trust = 'saved';
    this._report = null;
    this.emit();
    super.dispose();
  }

  private _isLatest(): boolean {
    return this.memory.state.lastOom?.report_id === this.reportId;
  }

  private _onStateChanged(): void {
    const { phase } = this.memory.state;
    const life = lifeOf(this.memory.state);
    if (phase === 'connecting' || phase === 'starting') {
      this._setTrust('asking');
    } else if (life !== this._id.life_id) {
      this._setTrust('saved');
    } else if (this._askedLife !== life) {
      this._askedLife = life;
      void this._ask();
    }
    if (life === null) {
      this._askedLife = null;
      this._failures = 0;
    }
    if (!this._told && this._isLatest()) {
      this.emit();
    }
  }

  private async _ask(): Promise<void> {
    this._setTrust('asking');
    const question = ++this._questions;
    const completions = this._completions;
    const reply = await this.memory
      .request('report', this._id)
      // Refused or unanswered: asked again, then the report is only text.
      .catch(() => null);
    if (question !== this._questions || this.isDisposed) {
      return;
    }
    if (reply === null && ++this._failures < MAX_FAILURES) {
      this._askedLife = null;
      return;
    }
    const known = reply?.status === 'known';
    this._report = known ? reply.report : null;
    this._released = reply?.released ?? this._released;
    this._setTrust(known ? 'confirmed' : 'saved');
    if (completions !== this._completions) {
      void this.complete();
    }
  }

  private _setTrust(trust: Trust): void {
    if (trust === this._trust) {
      return;
    }
    if (trust !== 'confirmed') {
      this._questions++;
      this._report = null;
      this._remedies = {};
      this._runs = {};
    }
    this._trust = trust;
    this.emit();
  }

  /**
   * Ask for the report anew, while the helper vouches for an older one: a look
   * that came to no end is completed later. Nothing changes on the cards until
   * the answer is there.
   */
  async complete(): Promise<void> {
    const question = this._questions;
    if (this._report === null) {
      return;
    }
    const reply = await this.memory
      .request('report', this._id)
      // What is known stays on the cards.
      .catch(() => null);
    const isCurrent = question === this._questions && !this.isDisposed;
    if (isCurrent && reply?.status === 'known' && reply.report !== null) {
      this._report = reply.report;
      this.emit();
    }
  }

  private _onEvent(_: IKernelMemory, event: Event): void {
    if (event.type === 'oom' && event.report_id === this.reportId) {
      this._completions++;
      void this.complete();
    }
    if (event.type !== 'released' || event.life_id !== this._id.life_id) {
      return;
    }
    if (isReleaseOf(event, this.reportId, this._isLatest())) {
      this._released = event;
      this.emit();
    }
  }

  private readonly _id: Pick<IStub, 'life_id' | 'report_id'>;
  private _trust: Trust = 'asking';
  private _report: IReport | null = null;
  private _released: IReleased | null = null;
  private _remedies: Readonly<Record<string, RemedyState>> = {};
  private _runs: Readonly<Record<string, readonly string[]>> = {};
  private _askedLife: string | null = null;
  private _questions = 0;
  private _failures = 0;
  private _completions = 0;
  private _told = false;
}
