import type { End, Work } from '../memory/work';
import type {
  Event,
  ICell,
  IFrameEnvelope,
  IReplies,
  RequestArgs
} from '../protocol';
import { type Answer, readEnvelope } from './envelope';
import { type ISent, Line } from './line';
import { attempt, note } from './note';
import { Outbox } from './outbox';
import { Question } from './question';
import { trans } from './translation';
import type { ITransport } from './transport';

/** Interval at which pending work is checked. */
const TICK_MS = 500;

/** Time in which an idle kernel replies once it has a message. */
const ANSWER_MS = 2000;

/** Time after which a message is considered lost. */
const DELIVERY_MS = 10_000;

/** A running cell reports at least this often, unless it holds the GIL. */
const SILENCE_MS = 8000;

/** Channels opened one after the other before giving up on the kernel. */
const MOST_TRIES = 3;
const PAUSE_MS = 500;
const MOST_PAUSE_MS = 300_000;

/** Interval between polls; it grows up to the second value while nothing changes. */
const POLL_MS = 2000;
const MOST_POLL_MS = 5000;
const BACK_OFF = 1.5;

/** Without a cell for this long, polls stop until the user resumes. */
const IDLE_MS = 600_000;

/**
 * State of the connection of a frame with its kernel.
 *
 * - `opening`: nothing was received yet
 * - `live`: the helper replies, or reports on the running cell
 * - `paused`: no cell has run for long, and no poll is sent
 * - `lost`: no reply arrives; retrying
 * - `restarted`: the kernel has no helper any more
 */
export type Link = 'opening' | 'live' | 'paused' | 'lost' | 'restarted';

/** Callbacks of a connection. */
export interface IListener {
  /** Another helper replies; earlier data is from the previous one. */
  onHelper(helperId: string): void;
  /** Called once for each event of this helper. */
  onEvent(event: Event, now: number): void;
  /** A new channel is in use; events of the previous one may be lost. */
  onAgain(): void;
  /** Something changed, or time has passed. */
  onChange(): void;
}

/**
 * Connection of a frame with its kernel.
 *
 * The helper reports while a cell runs, and is polled at rest: one message at a time,
 * and only while the output is visible or a question waits for its reply. Times are
 * milliseconds of this page's clock.
 */
export class Connection {
  constructor(
    private readonly _transport: ITransport,
    uid: string,
    private readonly _expectedHelperId: string
  ) {
    // An output may be shown twice, each with a connection of its own.
    this._uid = `${uid}/${Math.random()}`;
    _transport.listen(uid, data => {
      this._onData(data, this._loose);
    });
  }

  listener: IListener | null = null;

  /** The running cell, else the last one. */
  get cell(): ICell | null {
    return this._cell;
  }

  /** Whether a cell is known to be running. */
  get isBusy(): boolean {
    return this._isBusy;
  }

  get link(): Link {
    const now = Date.now();
    if (this._isGone) {
      return 'restarted';
    }
    if (this._receivedAt === null) {
      return 'opening';
    }
    if (this._isLost(now)) {
      return 'lost';
    }
    return this._isPaused(now) ? 'paused' : 'live';
  }

  /** Poll and listen only while the output is visible. */
  look(isLooked: boolean): void {
    if (this._isOver || isLooked === this._isLooked) {
      return;
    }
    this._isLooked = isLooked;
    clearInterval(this._timer);
    if (!isLooked) {
      return;
    }
    const now = Date.now();
    // Silence while the output was not visible proves nothing.
    this._waitsSince = null;
    this._receivedAt = this._receivedAt === null ? null : now;
    this._pollAt = now;
    this._timer = window.setInterval(() => {
      this._tick();
    }, TICK_MS);
    if (this._isGone) {
      this.resume();
    } else {
      this._tick();
    }
  }

  /** Stop polling and listening for good. */
  end(): void {
    this.look(false);
    this._isOver = true;
    this._outbox.fail('');
  }

  /** Resume after a pause, or retry. */
  resume(): void {
    const now = Date.now();
    this._awakeAt = this._pollAt = now;
    if (this._isGone || this._isLost(now)) {
      this._tries = 0;
      this._waitsSince = null;
      this._retry(now);
    }
    this._tick();
  }

  /** Send a request; the result is its reply. */
  ask<K extends keyof IReplies>(
    type: K,
    args: RequestArgs<K>
  ): Question<Answer<K>> {
    return this._put(new Question<Answer<K>>(type, args, false));
  }

  /** Request work that is done between cells; the result is the event of its end. */
  perform<K extends Work>(type: K, args: RequestArgs<K>): Question<End<K>> {
    return this._put(new Question<End<K>>(type, args, true));
  }

  private _put<T>(question: Question<T>): Question<T> {
    question.askedAfter = this._number;
    this._outbox.add(question as Question);
    this.resume();
    return question;
  }

  // --- Sending

  private _tick(): void {
    const now = Date.now();
    const { next } = this._outbox;
    // A question asked while the output was visible is still sent once it is hidden.
    const isWanted =
      this._isLooked || (next !== undefined && next.askedAfter > 0);
    if (isWanted && !this._isGone) {
      this._advance(now);
    }
    this._changed();
  }

  private _advance(now: number): void {
    if (this._isAgain) {
      this._isAgain = false;
      this._outbox.askAgain();
      attempt(() => this.listener?.onAgain());
    }
    if (this._isSilent(now)) {
      this._retry(now);
    }
    if (this._line === null && now >= this._retryAt) {
      void this._open(now);
    } else if (this._line?.isOpen && this._line.sent === null) {
      this._sendNext(this._line, now);
    }
    const { next } = this._outbox;
    if (next && this._isCallable(now)) {
      void this._callWith(next);
    }
  }

  private async _open(now: number): Promise<void> {
    const sent = this._newSent(now);
    const line = new Line(sent.number, sent);
    this._line = line;
    this._tries++;
    try {
      const channel = await this._transport.open({
        version: '1',
        uid: this._uid,
        helper_id: this._expectedHelperId
      });
      line.channel = channel;
      sent.arrivedAt = Date.now();
      for await (const data of channel.messages) {
        this._onData(data, line);
      }
    } catch (reason) {
      note('a channel ended', reason); // Handled as if the channel had been closed.
    }
    this._onEnd(line);
  }

  /**
   * Send the next question, or a poll when one is due.
   *
   * A message cannot be withdrawn from the kernel, and cells unknown to this frame may
   * be queued before it: a question is sent once a poll sent after it was asked is
   * answered.
   */
  private _sendNext(line: Line, now: number): void {
    const next = this._isBusy ? undefined : this._outbox.next;
    if (!next && (now < this._pollAt || this._isPaused(now))) {
      return;
    }
    const question = next && next.askedAfter < this._answered ? next : null;
    if (question) {
      question.isSent = true;
    }
    const sent = this._newSent(now);
    line.sent = sent;
    const { number: poll } = sent;
    const request = question?.request ?? null;
    line.channel
      ?.send({ seen: line.seen, poll, request })
      .then(() => {
        sent.arrivedAt = Date.now();
      })
      .catch((reason: unknown) => {
        note('a message was not sent', reason);
        this._onEnd(line);
      });
  }

  private _newSent(now: number): ISent {
    this._waitsSince ??= now;
    return { number: ++this._number, sentAt: now, arrivedAt: null };
  }

  /** Open another channel, after a delay that grows. */
  private _retry(now: number): void {
    const late = this._tries - MOST_TRIES;
    const pause =
      late <= 0
        ? this._tries * PAUSE_MS
        : Math.min(late * DELIVERY_MS, MOST_PAUSE_MS);
    this._line = null;
    this._isGone = false;
    this._retryAt = now + pause;
  }

  /**
   * Handle the end of a channel: the helper is gone, or does not recognize this frame
   * any more.
   */
  private _onEnd(line: Line): void {
    if (line === this._line) {
      this._retry(Date.now());
      if (this._tries >= MOST_TRIES) {
        this._isGone = true;
        this._outbox.fail(trans.__('The kernel was restarted.'));
      }
    }
    this._tick();
  }

  /** Where no channel opens, a question may still be sent by a call. */
  private async _callWith(question: Question): Promise<void> {
    this._call = 'under way';
    question.isSent = true;
    try {
      const { request } = question;
      const call = { uid: this._uid, seen: 0, request };
      const answer = await this._transport.call(call);
      this._call = 'answered';
      this._loose.seen = 0;
      this._onData(answer, this._loose);
    } catch (reason) {
      this._call = 'none';
      note('a call was not answered', reason);
    }
    if (!question.isOver) {
      question.fail(trans.__('The kernel did not answer.'));
    }
    this._changed();
  }

  // --- Receiving

  /** Handle a message; one that cannot be read does not affect the others. */
  private _onData(data: unknown, line: Line): void {
    const envelope = readEnvelope(data);
    if (envelope !== null) {
      attempt(() => {
        this._receive(envelope, line, Date.now());
      });
    }
  }

  private _receive(envelope: IFrameEnvelope, line: Line, now: number): void {
    const { fixed, helper_id: helperId, poll, reply } = envelope;
    const isNew = helperId !== this._helperId;
    if (isNew) {
      this._reset(helperId, now);
    }
    this._adopt(line);
    const events = line.take(envelope.events);
    const isAnswer = poll !== null && this._line?.sent?.number === poll;
    if (this._line && isAnswer) {
      // A kernel that replies is at rest, unless a reading says otherwise.
      this._line.sent = null;
      this._answered = poll;
      this._isBusy = false;
    }
    const before = this._reading;
    events.forEach(event => {
      this._update(event);
    });
    this._tries = 0;
    this._receivedAt = now;
    this._waitsSince = null;
    this._awakeAt = this._isBusy ? now : this._awakeAt;
    if (this._reading !== before || isNew) {
      this._interval = POLL_MS;
    } else if (isAnswer) {
      this._interval = Math.min(this._interval * BACK_OFF, MOST_POLL_MS);
    }
    // A question may be answered without a reading, which is then polled at once.
    const isRead = events.some(({ type }) => type === 'sample');
    this._pollAt = isAnswer && !isRead ? now : now + this._interval;
    // Before the listener sends more requests.
    if (reply) {
      attempt(() => {
        this._outbox.onReply(reply, fixed);
      });
    }
    if (isNew) {
      attempt(() => this.listener?.onHelper(helperId));
    }
    events.forEach(event => {
      attempt(() => {
        this._outbox.onEvent(event);
        this.listener?.onEvent(event, now);
      });
    });
    this._changed();
    // After everything that arrived in this turn, on any channel.
    if (this._outbox.next || now >= this._pollAt) {
      setTimeout(() => {
        this._tick();
      });
    }
  }

  /** Start over with another helper, of which there is no data. */
  private _reset(helperId: string, now: number): void {
    if (this._helperId !== null) {
      this._outbox.fail(trans.__('The kernel was restarted.'));
    }
    this._helperId = helperId;
    this._loose.seen = 0;
    this._cell = null;
    this._reading = '';
    this._isBusy = false;
    this._awakeAt = now;
  }

  /** Use the channel on which something was received, unless a newer one is in use. */
  private _adopt(line: Line): void {
    if (this._isGone) {
      this._isGone = false;
      this._retryAt = 0;
    }
    if (line === this._loose) {
      return;
    }
    if (!line.isOpen) {
      line.isOpen = true;
      line.sent = null;
    }
    if (line.number > (this._line?.number ?? 0)) {
      line.sent = null;
      this._line = line;
    }
    if (line.number > this._proven) {
      this._proven = this._answered = line.number;
      // The kernel handles messages in order: earlier ones without a reply are lost.
      this._isAgain = true;
      this._call = this._call === 'answered' ? 'none' : this._call;
    }
  }

  private _update(event: Event): void {
    if (event.type === 'sample') {
      const { busy, devices, queued, state } = event;
      this._reading = JSON.stringify([state, busy, devices, queued]);
      this._isBusy = busy;
    } else if (event.type === 'cell') {
      this._cell = event;
      this._isBusy = event.status === 'running';
    }
  }

  private _changed(): void {
    attempt(() => this.listener?.onChange());
  }

  // --- Conclusions

  /** Whether an expected reply is missing. */
  private _isSilent(now: number): boolean {
    const sent = this._line?.sent;
    if (!sent || this._isExcused(now)) {
      return false;
    }
    const since = Math.max(
      sent.arrivedAt ?? sent.sentAt,
      this._receivedAt ?? 0
    );
    return now - since >= (sent.arrivedAt === null ? DELIVERY_MS : ANSWER_MS);
  }

  /** Whether a running cell may keep the kernel from replying. */
  private _isExcused(now: number): boolean {
    return this._isBusy && now - (this._receivedAt ?? 0) < SILENCE_MS;
  }

  private _isLost(now: number): boolean {
    return (
      this._waitsSince !== null &&
      now - this._waitsSince >= DELIVERY_MS &&
      !this._isExcused(now)
    );
  }

  private _isPaused(now: number): boolean {
    return now - this._awakeAt >= IDLE_MS && !this._isBusy;
  }

  /** Whether a question is to be sent without a channel. */
  private _isCallable(now: number): boolean {
    return (
      !this._isBusy &&
      !this._line?.isOpen &&
      (this._call === 'answered' ||
        (this._call === 'none' && this._isLost(now)))
    );
  }

  private readonly _uid: string;
  private readonly _outbox = new Outbox();
  private _timer: number | undefined;
  private _isLooked = false;
  private _isOver = false;

  /** Id of the helper that replies; `null`: none has yet. */
  private _helperId: string | null = null;
  private _cell: ICell | null = null;
  private _isBusy = false;
  /** The last reading, to detect changes. */
  private _reading = '';

  /** For events that arrive without a channel of this frame. */
  private readonly _loose = new Line(0, null);
  /** The channel in use, or being opened; `null`: another is opened at `_retryAt`. */
  private _line: Line | null = null;
  private _retryAt = 0;
  /** Whether the kernel has no helper that opens a channel. */
  private _isGone = false;
  /** Channels opened since anything was received. */
  private _tries = 0;
  /** Numbers of the last message sent and of the last one answered. */
  private _number = 0;
  private _answered = 0;
  /** The newest channel on which anything was received. */
  private _proven = 0;
  /** Whether questions sent before that one are to be sent again. */
  private _isAgain = false;
  private _call: 'none' | 'under way' | 'answered' = 'none';

  /** When a cell last ran or the user last requested something. */
  private _awakeAt = Date.now();
  private _pollAt = 0;
  private _interval = POLL_MS;
  private _receivedAt: number | null = null;
  /** When a message was sent after which nothing has been received. */
  private _waitsSince: number | null = null;
}
