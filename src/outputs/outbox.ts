import type { Event, IChangedCell, Reply } from '../protocol';
import type { Question } from './question';

/** Unanswered questions, in order. */
export class Outbox {
  /** The first question that was not sent to the kernel. */
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

  /**
   * Mark all as unsent: the kernel handles messages in order, so earlier ones were
   * lost.
   */
  askAgain(): void {
    for (const question of this._questions) {
      question.isSent = question.hasReply;
    }
  }

  /** Fail all questions with a sentence. */
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
