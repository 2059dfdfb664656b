import { hasFreed, isReleaseOf, RELEASED_ITEMS } from '../memory/released';
import { whenLong } from '../memory/work';
import type {
  Event,
  IReleased,
  IReplies,
  IReport,
  IStub,
  RequestArgs
} from '../protocol';
import type { IWords } from '../text/messages';
import { own } from '../text/own';
import { isUnderWay, READY, type RemedyState, type Trust } from './state';

/** Unanswered questions after which a report counts as saved text. */
const MAX_FAILURES = 3;

/** Work that a kernel was asked for and does between cells. */
export interface IWorking<T> {
  /** Rejects where it comes to nothing. */
  readonly ended: Promise<T>;
  /** Where its remedy stands meanwhile. */
  readonly state: RemedyState;
  /** Take it back, or end it, where that can be done. */
  cancel(): void;
}

/** How the page of a card reaches the kernel that made its report. */
export interface IReportPort {
  /** Rejects where the helper refuses, or does not answer. */
  request(
    type: 'report',
    args: RequestArgs<'report'>
  ): Promise<IReplies['report']>;

  perform(type: 'release', args: RequestArgs<'release'>): IWorking<IReleased>;

  /** Whether no other cell ran out of memory since, as far as is known. */
  isLatest(reportId: string): boolean;

  /** What to tell a person of a rejection; empty where there is nothing to tell. */
  explain(reason: unknown): string;
}

/**
 * What the live helper says about one report, and what is done about it, shared by
 * all its cards. It is asked again in each life of the helper: after a restart
 * nobody vouches for the report any more.
 */
export class ReportSession {
  constructor(
    private readonly _port: IReportPort,
    private readonly _id: Pick<IStub, 'life_id' | 'report_id'>,
    private readonly _words: IWords,
    private readonly _onChange: () => void
  ) {}

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

  /** Where the remedies stand, on all cards of this report. */
  get remedies(): Readonly<Record<string, RemedyState>> {
    const remedies = { ...this._remedies };
    this._works.forEach(({ state }, id) => {
      remedies[id] = state;
    });
    this._pressed.forEach(id => {
      if (isUnderWay(own(remedies, id) ?? READY)) {
        remedies[id] = { status: 'begun' };
      }
    });
    return remedies;
  }

  setRemedy(remedyId: string, state: RemedyState): void {
    this._remedies = { ...this._remedies, [remedyId]: state };
    this._onChange();
  }

  /**
   * Another life of the helper answers, or the same again.
   *
   * @param life - `null`: none does, or never will again
   * @param isSought - it may be found yet
   */
  follow(life: string | null, isSought = false): void {
    if (isSought) {
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
  }

  /** An event of the life that answers. */
  onEvent(event: Event): void {
    const { life_id, report_id } = this._id;
    if (event.type === 'oom' && event.report_id === report_id) {
      this._completions++;
      void this.complete();
    } else if (
      event.type === 'released' &&
      event.life_id === life_id &&
      isReleaseOf(event, report_id, this._port.isLatest(report_id))
    ) {
      this._released = event;
      this._onChange();
    }
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
    const reply = await this._known(); // without one what is known stays
    if (question === this._questions && reply?.report) {
      this._report = reply.report;
      this._released = reply.released ?? this._released;
      this._onChange();
    }
  }

  /**
   * Do what a button of a remedy asks for. Never rejects: a failure is told there.
   * What has ended before it is worth a word is not told as under way.
   */
  async act(remedyId: string, work: () => Promise<void> | void): Promise<void> {
    this._pressed.add(remedyId);
    const callOff = whenLong(() => {
      this._pressed.delete(remedyId);
      this._onChange();
    });
    try {
      await work();
    } catch (reason) {
      const text = this._port.explain(reason);
      this.setRemedy(remedyId, text ? { status: 'failed', text } : READY);
    } finally {
      callOff();
      this._pressed.delete(remedyId);
    }
  }

  /** Show a remedy as under way until the work is done that it asks for. */
  async wait<T>(remedyId: string, working: IWorking<T>): Promise<T> {
    this._works.set(remedyId, working);
    this._onChange();
    try {
      return await working.ended;
    } finally {
      this._works.delete(remedyId);
    }
  }

  /** Take back what a remedy waits for, or end it. */
  cancel(remedyId: string): void {
    this._works.get(remedyId)?.cancel();
  }

  /** Free what the failed cell holds, as a remedy: nothing freed is a failure. */
  async free(remedyId: string): Promise<void> {
    const released = await this.wait(
      remedyId,
      this._port.perform('release', {
        items: this._namesDisplayed(remedyId) ? null : RELEASED_ITEMS,
        confirmed: [],
        report_id: this.reportId
      })
    );
    const { sentence, trans } = this._words;
    const { message, status } = released;
    const why = sentence(message);
    const text =
      status === 'failed' ? trans.__('Could not free it: %1', why) : why;
    this.setRemedy(
      remedyId,
      hasFreed(released)
        ? READY
        : { status: status === 'cancelled' ? status : 'failed', text }
    );
  }

  /** Whether a remedy says that displayed values go, too: all of the safe set. */
  private _namesDisplayed(remedyId: string): boolean {
    const remedies = this._report?.remedies ?? [];
    return remedies.some(
      ({ id, title }) => id === remedyId && title.id.endsWith('.displayed')
    );
  }

  private async _ask(): Promise<void> {
    this._setTrust('asking');
    const question = ++this._questions;
    const completions = this._completions;
    const reply = await this._known();
    if (question !== this._questions) {
      return;
    }
    if (reply === null && ++this._failures < MAX_FAILURES) {
      this._askedLife = null; // it is asked again
      return;
    }
    this._report = reply?.report ?? null;
    this._released = reply?.released ?? this._released;
    this._setTrust(reply?.status === 'known' ? 'confirmed' : 'saved');
    if (completions !== this._completions) {
      void this.complete();
    }
  }

  /** What the helper knows of the report; `null`: it refused, or did not answer. */
  private _known(): Promise<IReplies['report'] | null> {
    return this._port.request('report', this._id).catch(() => null);
  }

  private _setTrust(trust: Trust): void {
    if (trust === this._trust) {
      return;
    }
    if (trust !== 'confirmed') {
      this._questions++;
      this._report = null;
      this._remedies = {};
    }
    this._trust = trust;
    this._onChange();
  }

  private _trust: Trust = 'asking';
  private _report: IReport | null = null;
  private _released: IReleased | null = null;
  private _remedies: Readonly<Record<string, RemedyState>> = {};
  /** What remedies asked for and has not ended. */
  private readonly _works = new Map<string, IWorking<unknown>>();
  /** Remedies whose button was pressed just now. */
  private readonly _pressed = new Set<string>();
  private _askedLife: string | null = null;
  private _questions = 0;
  private _failures = 0;
  private _completions = 0;
}
