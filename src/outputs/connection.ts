import type { End, Work } from '../memory/work';
import type {
  Event,
  ICell,
  IFrameEnvelope,
  IReplies,
  RequestArgs
} from '../protocol';
import {
  contactFrom,
  type ContactEvent,
  contacting,
  type Effect,
  isDue,
  type Link,
  linkOf
} from './contact';
import { type Answer, readEnvelope } from './envelope';
import { attempt, note } from './note';
import { Outbox } from './outbox';
import { Question } from './question';
import { trans } from './translation';
import type { IChannel, ITransport } from './transport';

/** Between two looks at what is to be done. */
const TICK_MS = 500;

/** Whoever shows what a connection knows. */
export interface IListener {
  /** Another life of the helper answers: what was known is of the one before. */
  onLife(lifeId: string): void;
  /** An event of this life, once. */
  onEvent(event: Event, now: number): void;
  /** The helper is heard on a new channel: what it has told before may be lost. */
  onAgain(): void;
  /** Something changed, or time went on. */
  onChange(): void;
}

/** One way on which something comes. */
class Line {
  /** @param number - of all that was sent; 0: none of this frame's channels */
  constructor(readonly number: number) {}

  channel: IChannel | null = null;

  /** The highest event that came on it. */
  seen = 0;

  /** Each event once. */
  take(events: readonly (readonly [number, Event])[]): Event[] {
    return events.flatMap(([number, event]) => {
      const isNew = number > this.seen;
      this.seen = Math.max(number, this.seen);
      return isNew ? [event] : [];
    });
  }
}

/**
 * What one frame knows of its kernel, and how it learns it: does what `contact.ts`
 * decides. What a person asks for while a cell runs is kept until it has ended.
 */
export class Connection {
  constructor(
    private readonly _transport: ITransport,
    uid: string,
    private readonly _lifeId: string
  ) {
    // An output may be shown twice, and each asks for itself.
    this._uid = `${uid}/${Math.random()}`;
    _transport.listen(uid, data => {
      this._onData(data, this._loose);
    });
  }

  listener: IListener | null = null;

  /** The cell that runs, else the last one. */
  get cell(): ICell | null {
    return this._contact.cell;
  }

  /** The life of the helper that answers; `null`: none has yet. */
  get lifeId(): string | null {
    return this._contact.lifeId;
  }

  get link(): Link {
    return linkOf(this._contact, Date.now());
  }

  /** Whether a cell runs, as far as is known. */
  get isBusy(): boolean {
    return this._contact.isBusy;
  }

  /** Ask and listen while somebody looks, and not otherwise. */
  look(isLooked: boolean): void {
    if (this._isOver || isLooked === this._contact.isLooked) {
      return;
    }
    clearInterval(this._timer);
    this._take({ type: 'looked', isLooked });
    if (isLooked) {
      this._timer = window.setInterval(() => {
        this._tick();
      }, TICK_MS);
      this._tick();
    }
  }

  /** Ask and listen no more, whoever looks. */
  end(): void {
    this.look(false);
    this._isOver = true;
    this._outbox.fail('');
  }

  /** Go on: a person asks for it. */
  resume(): void {
    this._take({ type: 'resumed' });
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
    this._outbox.add(question as Question, this._contact.number);
    this.resume();
    return question;
  }

  private _tick(): void {
    this._take({ type: 'tick', asked: this._outbox.askedAfter });
    this._changed();
  }

  private _take(event: ContactEvent): void {
    const [contact, effects] = contacting(this._contact, event, Date.now());
    this._contact = contact;
    effects.forEach(effect => {
      attempt(() => {
        this._do(effect);
      });
    });
  }

  private _do(effect: Effect): void {
    switch (effect.type) {
      case 'open':
        void this._listen(this._lineOf(effect.line));
        break;
      case 'send':
        this._send(effect);
        break;
      case 'call':
        void this._call();
        break;
      case 'again':
        this._outbox.askAgain();
        this.listener?.onAgain();
        this._tick();
        break;
      case 'fail':
        this._outbox.fail(trans.__('The kernel was restarted.'));
        break;
      case 'reply':
        this._outbox.onReply(effect.reply, effect.fixed);
        break;
      case 'life':
        this.listener?.onLife(effect.lifeId);
        break;
      case 'event':
        this._outbox.onEvent(effect.event);
        this.listener?.onEvent(effect.event, Date.now());
    }
  }

  private async _listen(line: Line): Promise<void> {
    try {
      const channel = await this._transport.open({
        version: '1',
        uid: this._uid,
        life_id: this._lifeId
      });
      line.channel = channel;
      this._take({ type: 'arrived', number: line.number });
      for await (const data of channel.messages) {
        this._onData(data, line);
      }
    } catch (reason) {
      note('a channel ended', reason); // as if it had been closed
    }
    this._lines.delete(line.number);
    this._onEnd(line.number);
  }

  private _send({
    isQuestion,
    line,
    poll
  }: Extract<Effect, { type: 'send' }>): void {
    const question = isQuestion ? this._outbox.next : undefined;
    if (question) {
      question.isSent = true;
    }
    const request = question?.request ?? null;
    const { channel, seen } = this._lineOf(line);
    channel
      ?.send({ seen, poll, request })
      .then(() => {
        this._take({ type: 'arrived', number: poll });
      })
      .catch((reason: unknown) => {
        note('a message was not sent', reason);
        this._onEnd(line);
      });
  }

  private _onEnd(line: number): void {
    this._take({ type: 'closed', line });
    this._tick();
  }

  /** Where no channel can be had, a question may still be put by another way. */
  private async _call(): Promise<void> {
    const question = this._outbox.next;
    if (!question) {
      return;
    }
    question.isSent = true;
    let isAnswered = false;
    try {
      const { request } = question;
      const call = { uid: this._uid, seen: 0, request };
      const answer = await this._transport.call(call);
      isAnswered = true;
      this._loose.seen = 0;
      this._onData(answer, this._loose);
    } catch (reason) {
      note('a call was not answered', reason); // nor has this way an answer
    }
    this._take({ type: 'called', isAnswered });
    if (!question.isOver) {
      question.fail(trans.__('The kernel does not answer.'));
    }
    this._changed();
  }

  /** One that cannot be read costs no other. */
  private _onData(data: unknown, line: Line): void {
    const envelope = readEnvelope(data);
    if (envelope !== null) {
      attempt(() => {
        this._hear(envelope, line);
      });
    }
  }

  private _hear(envelope: IFrameEnvelope, line: Line): void {
    if (envelope.life_id !== this.lifeId) {
      this._loose.seen = 0;
    }
    const events = line.take(envelope.events);
    this._take({ type: 'heard', line: line.number, envelope, events });
    this._changed();
    // Not before what came together with it is heard, on whatever channel.
    if (this._outbox.next || isDue(this._contact, Date.now())) {
      setTimeout(() => {
        this._tick();
      });
    }
  }

  private _lineOf(number: number): Line {
    const line = this._lines.get(number) ?? new Line(number);
    this._lines.set(number, line);
    return line;
  }

  private _changed(): void {
    attempt(() => this.listener?.onChange());
  }

  private readonly _uid: string;
  private _contact = contactFrom(Date.now());
  private readonly _outbox = new Outbox();
  /** For what comes without a channel of this frame's. */
  private readonly _loose = new Line(0);
  private readonly _lines = new Map<number, Line>();
  private _timer: number | undefined;
  private _isOver = false;
}
