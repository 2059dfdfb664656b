import type { End, Work } from '../memory/work';
import type { Event, ICell, IReplies, RequestArgs } from '../protocol';
import { type Answer, type IEnvelope, readEnvelope } from './envelope';
import { Pace } from './pace';
import { Question } from './question';
import { Questions } from './questions';
import { trans } from './translation';
import type { IChannel, ITransport } from './transport';

/** Between two looks at what is to be done. */
const TICK_MS = 500;

/** A kernel at rest answers within this, once it has a message. */
const ANSWER_MS = 2000;

/** A message that has not arrived by then never will. */
const DELIVERY_MS = 10_000;

/** A cell that runs tells of itself at least this often, unless it keeps the GIL. */
const SILENCE_MS = 8000;

/** Channels tried one after the other before the kernel is given up. */
const MOST_TRIES = 3;
const PAUSE_MS = 500;
const MOST_PAUSE_MS = 300_000;

/**
 * Where a frame stands with its kernel.
 *
 * - `opening`: nothing was heard yet
 * - `live`: the helper answers, or tells of the cell that runs
 * - `paused`: no cell ran for long, and nothing is asked
 * - `lost`: no answer comes; it is tried again
 * - `restarted`: the kernel has no helper any more
 */
export type Link = 'opening' | 'live' | 'paused' | 'lost' | 'restarted';

/** Whoever shows what a connection knows. */
export interface IListener {
  /** Another life of the helper answers: what was known is of the one before. */
  onLife(lifeId: string): void;
  /** An event of this life, once. */
  onEvent(event: Event, now: number): void;
  /** Something changed, or time went on. */
  onChange(): void;
}

/** What the kernel was asked: when, and when that had arrived. */
interface ISent {
  /** Of all that was sent, upward. */
  readonly number: number;
  sentAt: number;
  arrivedAt: number | null;
}

/** One channel, from its opening on. */
interface ILine extends ISent {
  channel: IChannel | null;
  isHeard: boolean;
  /** The highest event that came on it. */
  seen: number;
}

/**
 * What one frame knows of its kernel, and how it learns it.
 *
 * A frame is told what happens while a cell runs, and asks at rest: one message at
 * a time, and only while somebody looks. What a person asks for while a cell runs
 * is kept here until it has ended. Times are milliseconds of this page's clock.
 */
export class Connection {
  constructor(
    private readonly _transport: ITransport,
    private readonly _uid: string,
    private readonly _lifeId: string
  ) {
    _transport.listen(_uid, data => {
      this._onData(data, this._loose);
    });
  }

  listener: IListener | null = null;

  /** The cell that runs, else the last one. */
  get cell(): ICell | null {
    return this._cell;
  }

  /** The life of the helper that answers; `null`: none has yet. */
  get lifeId(): string | null {
    return this._life;
  }

  get link(): Link {
    const now = Date.now();
    if (this._isRestarted) {
      return 'restarted';
    }
    if (this._heardAt === null) {
      return 'opening';
    }
    if (this._isLost(now)) {
      return 'lost';
    }
    return this._isPaused(now) ? 'paused' : 'live';
  }

  /** Whether a cell runs, as far as is known. */
  get isBusy(): boolean {
    return this._isBusy;
  }

  /** Ask and listen while somebody looks, and not otherwise. */
  look(isLooked: boolean): void {
    if (this._isOver || isLooked === (this._timer !== null)) {
      return;
    }
    if (!isLooked) {
      window.clearInterval(this._timer ?? 0);
      this._timer = null;
      return;
    }
    const now = Date.now();
    this._timer = window.setInterval(() => {
      this._tick();
    }, TICK_MS);
    // Time that nobody looked at is no sign of anything.
    this._waitsSince = null;
    this._heardAt = this._heardAt === null ? null : now;
    if (this._isRestarted) {
      this.resume();
    } else {
      this._pace.askAt(now);
      this._tick();
    }
  }

  /** Ask and listen no more, whoever looks. */
  end(): void {
    this.look(false);
    this._isOver = true;
  }

  /** Go on: a person asks for it. */
  resume(): void {
    const now = Date.now();
    this._pace.stayAwake(now);
    this._pace.askAt(now);
    if (this._isRestarted || this._isLost(now)) {
      this._isRestarted = false;
      this._tries = 0;
      this._waitsSince = null;
      this._retry(now);
    }
    this._tick();
  }

  /** Ask for what the reply tells. */
  ask<K extends keyof IReplies>(
    type: K,
    args: RequestArgs<K>
  ): Question<Answer<K>> {
    return this._put(new Question<Answer<K>>(type, args, false));
  }

  /** Ask for work that is done between cells, and learn what came of it. */
  perform<K extends Work>(type: K, args: RequestArgs<K>): Question<End<K>> {
    return this._put(new Question<End<K>>(type, args, true));
  }

  /** Take back what the kernel has not been asked for yet: it ends without words. */
  cancel(question: Pick<Question, 'fail' | 'isSent'>): void {
    if (!question.isSent) {
      question.fail('');
      this._changed();
    }
  }

  private _put<T>(question: Question<T>): Question<T> {
    question.askedAfter = this._number;
    this._questions.add(question as Question);
    this.resume();
    return question;
  }

  // --- What is to be done now

  private _tick(): void {
    this._advance(Date.now());
    this._changed();
  }

  private _advance(now: number): void {
    const line = this._line;
    if (this._timer === null || this._isRestarted) {
      return;
    }
    if (this._isProven) {
      this._questions.askAgain();
      this._isProven = false;
    }
    if (line === null) {
      if (now >= this._retryAt) {
        this._open(now);
      }
    } else if (this._isSilent(line, now)) {
      this._retry(now);
    } else if (line.isHeard && this._sent === null) {
      this._say(line, now);
    }
    if ((this._isLost(now) || this._isCallable) && !this._isBusy) {
      void this._call();
    }
  }

  /** Whether an answer should have come that did not. */
  private _isSilent(line: ILine, now: number): boolean {
    const asked = line.isHeard ? this._sent : line;
    if (asked === null || this._isExcused(now)) {
      return false;
    }
    const { sentAt, arrivedAt } = asked;
    // Whatever is heard is a sign of life.
    const since = Math.max(arrivedAt ?? sentAt, this._heardAt ?? 0);
    return now - since >= (arrivedAt === null ? DELIVERY_MS : ANSWER_MS);
  }

  /** Whether a cell runs that may keep the kernel from answering. */
  private _isExcused(now: number): boolean {
    return this._isBusy && now - (this._heardAt ?? 0) < SILENCE_MS;
  }

  /**
   * Send the next question, or a poll when it is time for one.
   *
   * What the kernel has cannot be taken back, and cells may wait before it that this
   * frame knows nothing of: a question goes out once a poll after it was answered.
   */
  private _say(line: ILine, now: number): void {
    const question = this._isBusy ? undefined : this._questions.next;
    if (question && question.askedAfter < this._answered) {
      question.isSent = true;
      this._send(line, now, question.request);
    } else if (question || (this._pace.isDue(now) && !this._isPaused(now))) {
      this._send(line, now, null);
    }
  }

  private _send(line: ILine, now: number, request: object | null): void {
    const number = ++this._number;
    const sent: ISent = { number, sentAt: now, arrivedAt: null };
    this._sent = sent;
    this._waitsSince ??= now;
    line.channel
      ?.send({ seen: line.seen, poll: number, request })
      .then(() => {
        sent.arrivedAt = Date.now();
      })
      .catch(() => {
        this._onEnd(line);
      });
  }

  /** Open another channel, after a pause that grows. */
  private _retry(now: number): void {
    const { _tries: tries } = this;
    const pause =
      tries <= MOST_TRIES
        ? tries * PAUSE_MS
        : Math.min((tries - MOST_TRIES) * DELIVERY_MS, MOST_PAUSE_MS);
    this._line = null;
    this._sent = null;
    this._retryAt = now + pause;
    if (pause === 0) {
      this._open(now);
    }
  }

  private _open(now: number): void {
    const line: ILine = {
      number: ++this._number,
      channel: null,
      sentAt: now,
      arrivedAt: null,
      isHeard: false,
      seen: 0
    };
    this._line = line;
    this._tries++;
    this._waitsSince ??= now;
    void this._listen(line);
  }

  private async _listen(line: ILine): Promise<void> {
    try {
      const channel = await this._transport.open({
        version: '1',
        uid: this._uid,
        life_id: this._lifeId
      });
      line.channel = channel;
      line.arrivedAt = Date.now();
      for await (const data of channel.messages) {
        this._onData(data, line);
      }
    } catch {
      // As if it had been closed.
    }
    this._onEnd(line);
  }

  /** A channel was closed: the helper has gone, or knows this frame no more. */
  private _onEnd(line: ILine): void {
    if (line !== this._line) {
      return;
    }
    if (this._tries < MOST_TRIES) {
      this._retry(Date.now());
      return;
    }
    this._line = null;
    this._sent = null;
    this._isRestarted = true;
    this._failAll();
    this._changed();
  }

  /** Where no channel can be had, a question may still be put by another way. */
  private async _call(): Promise<void> {
    const question = this._questions.next;
    if (!question || this._isCalling) {
      return;
    }
    this._isCalling = true;
    question.isSent = true;
    try {
      const data = { uid: this._uid, seen: 0, request: question.request };
      const answer = await this._transport.call(data);
      this._isCallable = true;
      this._loose.seen = 0;
      this._onData(answer, this._loose);
    } catch {
      // Nor has this way an answer.
    }
    this._isCalling = false;
    if (!question.isOver) {
      question.fail(trans.__('The kernel does not answer.'));
    }
    this._changed();
  }

  // --- What is heard

  private _onData(data: unknown, line: ILine): void {
    const envelope = readEnvelope(data);
    if (envelope === null) {
      return;
    }
    const now = Date.now();
    if (envelope.life_id !== this.lifeId) {
      this._begin(envelope.life_id, now);
    }
    this._heardAt = now;
    this._tries = 0;
    this._waitsSince = null;
    this._isRestarted = false;
    if (line !== this._loose) {
      this._prove(line);
    }
    const before = this._told;
    const isAnswer = this._takeAnswer(envelope);
    const fresh = this._takeEvents(envelope, line, now);
    if (this._isBusy) {
      this._pace.stayAwake(now);
    }
    this._pace.onHeard(now, isAnswer, before !== this._told);
    if (isAnswer && !fresh) {
      // A question may be answered without a reading: that is asked for at once.
      this._pace.askAt(now);
    }
    this._changed();
    // Not before what came together with it is heard, on whatever channel.
    if (this._questions.next || this._pace.isDue(now)) {
      window.setTimeout(() => {
        this._advance(Date.now());
      });
    }
  }

  /** A channel that is heard is the one to use, unless a newer one is. */
  private _prove(line: ILine): void {
    if (this._line === null || line.number >= this._line.number) {
      this._line = line;
    }
    if (!line.isHeard) {
      this._isCallable = false;
      line.isHeard = true;
      this._isProven = true;
      this._answered = line.number;
    }
  }

  private _takeAnswer({ poll, reply, fixed }: IEnvelope): boolean {
    const sent = this._sent;
    const isAnswer = sent !== null && poll === sent.number;
    if (isAnswer) {
      this._answered = sent.number;
      this._sent = null;
      // Unless a reading says otherwise: who answers is at rest.
      this._isBusy = false;
    }
    if (reply) {
      this._questions.onReply(reply, fixed);
    }
    return isAnswer;
  }

  /** Take each event once; returns whether a reading was among them. */
  private _takeEvents(
    { events }: IEnvelope,
    line: ILine,
    now: number
  ): boolean {
    let fresh = false;
    for (const [number, event] of events) {
      if (number <= line.seen) {
        continue;
      }
      line.seen = number;
      fresh ||= event.type === 'sample';
      this._isBusy = busyAfter(event) ?? this._isBusy;
      this._questions.onEvent(event);
      this.listener?.onEvent(event, now);
      if (event.type === 'sample') {
        const { state, busy, devices, queued } = event;
        this._told = JSON.stringify([state, busy, devices, queued]);
      } else if (event.type === 'cell') {
        this._cell = event;
      }
    }
    return fresh;
  }

  /** Another life of the helper, of which nothing is known. */
  private _begin(lifeId: string, now: number): void {
    if (this.lifeId !== null) {
      this._failAll();
    }
    this._life = lifeId;
    this._cell = null;
    this._told = '';
    this.listener?.onLife(lifeId);
    this._isBusy = false;
    this._loose.seen = 0;
    this._pace.stayAwake(now);
  }

  private _failAll(): void {
    this._questions.fail(trans.__('The kernel was restarted.'));
  }

  private _isLost(now: number): boolean {
    return (
      this._waitsSince !== null &&
      now - this._waitsSince >= DELIVERY_MS &&
      !this._isExcused(now)
    );
  }

  private _isPaused(now: number): boolean {
    return this._pace.isPaused(now) && !this._isBusy;
  }

  private _changed(): void {
    this.listener?.onChange();
  }

  private _life: string | null = null;
  private _cell: ICell | null = null;
  /** The last reading, to see whether anything changed. */
  private _told = '';
  private _timer: number | null = null;
  private _line: ILine | null = null;
  /** Of what was sent last. */
  private _number = 0;
  /** For what comes without a channel of this frame's. */
  private readonly _loose: ILine = {
    number: 0,
    channel: null,
    sentAt: 0,
    arrivedAt: null,
    isHeard: false,
    seen: 0
  };
  private _tries = 0;
  private _retryAt = 0;
  private _sent: ISent | null = null;
  /** The last of what was sent that was answered. */
  private _answered = 0;
  private readonly _pace = new Pace();
  private readonly _questions = new Questions();
  private _isCalling = false;
  /** A call was answered, and no channel since. */
  private _isCallable = false;
  /** A channel was heard for the first time. */
  private _isProven = false;
  private _isOver = false;
  private _isRestarted = false;
  private _isBusy = false;
  private _heardAt: number | null = null;
  /** When something was sent that nothing was heard after. */
  private _waitsSince: number | null = null;
}

/** Whether a cell runs after an event; `null`: it says nothing of that. */
function busyAfter(event: Event): boolean | null {
  switch (event.type) {
    case 'sample':
      return event.busy;
    case 'cell':
      return event.status === 'running';
    default:
      return null;
  }
}
