import type { Event, IChangedCell, Reply } from '../protocol';
import type { Question } from './question';

/** What was asked for and has not come yet, in order. */
export class Outbox {
  /** The next one that the kernel has not been asked. */
  get next(): Question | undefined {
    return this._open().find(({ isSent }) => !isSent);
  }

  add(question: Question): void {
    this._questions = [...this._open(), question];
  }

  onReply(reply: Reply, fixed: readonly IChangedCell[] | null): void {
    this._questions.find(({ id }) => id === reply.id)?.onReply(reply, fixed);
  }

  onEvent(event: Event): void {
    this._questions.forEach(question => {
      question.onEvent(event);
    });
  }

  /** The kernel takes messages in turn: what was asked before came to nothing. */
  askAgain(): void {
    for (const question of this._questions) {
      question.isSent = question.hasReply;
    }
  }

  /** End them all with a sentence. */
  fail(sentence: string): void {
    this._open().forEach(question => {
      question.fail(sentence);
    });
    this._questions = [];
  }

  private _open(): Question[] {
    return this._questions.filter(({ isOver }) => !isOver);
  }

  private _questions: Question[] = [];
}
