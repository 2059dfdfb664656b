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

/** Failed requests after which a report counts as saved. */
const MAX_FAILURES = 3;

/** Requested work that a kernel does between cells. */
export interface IWorking<T> {
  /** Rejects if the work fails. */
  readonly ended: Promise<T>;
  /** Progress of the remedy while the work is in progress. */
  readonly state: RemedyState;
  /** Cancel or stop the work if possible. */
  cancel(): void;
}

/** Access of a report to the kernel that made it. */
export interface IReportPort {
  /** Rejects if the helper refuses or does not reply. */
  request(
    type: 'report',
    args: RequestArgs<'report'>
  ): Promise<IReplies['report']>;

  perform(type: 'release', args: RequestArgs<'release'>): IWorking<IReleased>;

  /** Whether no other cell is known to have run out of memory since. */
  isLatest(reportId: string): boolean;

  /** Sentence for the user about a rejection; empty if there is nothing to show. */
  explain(reason: unknown): string;
}

/**
 * Confirmation of one report by the running helper and progress of its remedies, shared
 * by all outputs that show the report. The report is requested again from each new
 * helper; after a kernel restart it can no longer be confirmed.
 */
export class ReportSession {
  constructor(
    private readonly _port: IReportPort,
    private readonly _id: Pick<IStub, 'helper_id' | 'report_id'>,
    private readonly _words: IWords,
    private readonly _onChange: () => void
  ) {}

  get reportId(): string {
    return this._id.report_id;
  }

  get trust(): Trust {
    return this._trust;
  }

  /** The helper's own copy; `null` unless the helper confirmed the report. */
  get report(): IReport | null {
    return this._report;
  }

  /** The last release made for this report. */
  get released(): IReleased | null {
    return this._released;
  }

  /** Progress of the remedies by id, the same in all outputs of this report. */
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
   * Set the helper that replies, the same as before or another.
   *
   * @param helperId - `null`: none replies
   * @param isSought - whether a helper may still be found
   */
  follow(helperId: string | null, isSought = false): void {
    if (isSought) {
      this._setTrust('asking');
    } else if (helperId !== this._id.helper_id) {
      this._setTrust('saved');
    } else if (this._sentHelperId !== helperId) {
      this._sentHelperId = helperId;
      void this._ask();
    }
    if (helperId === null) {
      this._sentHelperId = null;
      this._failures = 0;
    }
  }

  /** Handle an event of the current helper. */
  onEvent(event: Event): void {
    const { helper_id, report_id } = this._id;
    if (event.type === 'oom' && event.report_id === report_id) {
      this._completions++;
      void this.complete();
    } else if (
      event.type === 'released' &&
      event.helper_id === helper_id &&
      isReleaseOf(event, report_id, this._port.isLatest(report_id))
    ) {
      this._released = event;
      this._onChange();
    }
  }

  /**
   * Request the report again if the helper's copy is older, for example to get the rest
   * of an unfinished measurement. Outputs do not change until the reply arrives.
   */
  async complete(): Promise<void> {
    const question = this._questions;
    if (this._report === null) {
      return;
    }
    const reply = await this._known(); // The last copy is kept if there is no reply.
    if (question === this._questions && reply?.report) {
      this._report = reply.report;
      this._released = reply.released ?? this._released;
      this._onChange();
    }
  }

  /**
   * Run the action of a remedy's button. Never rejects: a failure is shown with the
   * remedy. Short work is not shown as in progress.
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

  /** Show a remedy as in progress until its work is done. */
  async wait<T>(remedyId: string, working: IWorking<T>): Promise<T> {
    this._works.set(remedyId, working);
    this._onChange();
    try {
      return await working.ended;
    } finally {
      this._works.delete(remedyId);
    }
  }

  /** Cancel or stop the work of a remedy. */
  cancel(remedyId: string): void {
    this._works.get(remedyId)?.cancel();
  }

  /**
   * Free what the failed cell retains, as a remedy; it counts as a failure if nothing
   * is freed.
   */
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
      status === 'failed'
        ? trans.__('Could not free GPU memory: %1', why)
        : why;
    this.setRemedy(
      remedyId,
      hasFreed(released)
        ? READY
        : { status: status === 'cancelled' ? status : 'failed', text }
    );
  }

  /** Whether a remedy states that displayed values are freed too: the whole safe set. */
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
      this._sentHelperId = null; // The report is requested again.
      return;
    }
    this._report = reply?.report ?? null;
    this._released = reply?.released ?? this._released;
    this._setTrust(reply?.status === 'known' ? 'confirmed' : 'saved');
    if (completions !== this._completions) {
      void this.complete();
    }
  }

  /** Request the report; `null` if the helper refused or did not reply. */
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
  /** Unfinished work by remedy id. */
  private readonly _works = new Map<string, IWorking<unknown>>();
  /** Remedies whose button was just pressed. */
  private readonly _pressed = new Set<string>();
  private _sentHelperId: string | null = null;
  private _questions = 0;
  private _failures = 0;
  private _completions = 0;
}
