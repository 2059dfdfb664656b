import { isEndOf } from '../memory/work';
import type {
  Event,
  IChangedCell,
  IRequests,
  Reply,
  Request
} from '../protocol';
import { PROTOCOL_VERSION } from '../protocol/version';
import { note } from './note';

/** A question came to nothing; its message is a sentence for people. */
export class Unanswered extends Error {}

/** What to tell a person of what came to nothing; empty: it was taken back, or noted. */
export function sentenceOf(reason: unknown): string {
  if (reason instanceof Unanswered) {
    return reason.message;
  }
  note('what a person asked for failed', reason);
  return '';
}

/**
 * One request on its way to the helper, and what came of it.
 */
export class Question<T = unknown> {
  /**
   * @param isWork - whether an event is the result; else the reply is
   */
  constructor(
    type: keyof IRequests,
    args: object,
    private readonly _isWork: boolean
  ) {
    this.id = `frame-${Math.random()}`;
    this.request = {
      ...args,
      type,
      id: this.id,
      protocol_version: PROTOCOL_VERSION
    } as Request;
    this.result = new Promise<T>((resolve, reject) => {
      this._resolve = resolve;
      this._reject = reject;
    });
  }

  readonly id: string;
  readonly request: Request;

  /** Rejects with `Unanswered`. */
  readonly result: Promise<T>;

  /** The number of what had been sent last when it was asked. */
  askedAfter = 0;

  /** Whether the kernel has been asked. */
  isSent = false;

  isOver = false;

  get hasReply(): boolean {
    return this._reply !== null;
  }

  /** The result, where it is an event. */
  onReply(reply: Reply, fixed: readonly IChangedCell[] | null): void {
    this._reply = reply;
    if (reply.type === 'refused') {
      this.fail(reply.message.text);
    } else if (!this._isWork) {
      this._end({ ...reply, fixed: fixed ?? [] });
    }
  }

  onEvent(event: Event): void {
    if (event.type === 'error' && event.request_id === this.id) {
      this.fail(event.message.text);
    } else if (this._reply && isEndOf(event, this._reply)) {
      this._end(event);
    }
  }

  /** Take it back, unless the kernel has it. */
  cancel(): void {
    if (!this.isSent) {
      this.fail('');
    }
  }

  /** End it with a sentence. */
  fail(sentence: string): void {
    this.isOver = true;
    this._reject(new Unanswered(sentence));
  }

  private _end(value: unknown): void {
    this.isOver = true;
    this._resolve(value as T);
  }

  private _reply: Reply | null = null;
  private _resolve!: (value: T) => void;
  private _reject!: (reason: Unanswered) => void;
}
