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

/** Thrown when a question fails; the message is a sentence for users. */
export class Unanswered extends Error {}

/** Sentence for the user about a rejection; empty: it was canceled, or logged. */
export function sentenceOf(reason: unknown): string {
  if (reason instanceof Unanswered) {
    return reason.message;
  }
  note('what a person asked for failed', reason);
  return '';
}

/** One request to the helper, with its result. */
export class Question<T = unknown> {
  /** @param isWork - whether the result is an event instead of the reply */
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

  /** Number of the last message sent before it was asked. */
  askedAfter = 0;

  /** Whether it was sent to the kernel. */
  isSent = false;

  isOver = false;

  get hasReply(): boolean {
    return this._reply !== null;
  }

  /** Handle the reply, which is the result unless an event is. */
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

  /** Cancel it, unless the kernel has it. */
  cancel(): void {
    if (!this.isSent) {
      this.fail('');
    }
  }

  /** Fail it with a sentence. */
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
