import { nameCell } from '../memory/timelinewords';
import type { Connection } from './connection';
import { explainWaiting } from './google';
import type { Question } from './question';
import { trans } from './translation';

/**
 * Whether a question waits for the running cell: in the frame, or, if it was sent
 * before the frame was notified of the cell, in the kernel.
 */
export function isQueued(connection: Connection, question: Question): boolean {
  return connection.isBusy && !question.hasReply && !question.isOver;
}

/** "In [9] has been running since 14:02.", and why that is in the way. */
export function explainQueue({ cell }: Connection): string {
  const rest = explainWaiting();
  if (cell?.status !== 'running') {
    return rest;
  }
  const since = new Date(cell.start_s * 1000).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit'
  });
  const name = nameCell(cell, trans);
  return `${trans.__('%1 has been running since %2.', name, since)} ${rest}`;
}
