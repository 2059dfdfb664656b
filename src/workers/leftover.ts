/**
 * Workers that outlive the cell that started them.
 */
import type {
  EngineName,
  ICardWorker,
  IFollowedWorkers,
  IWorkerCard
} from '../protocol';
import { formatPrompt } from '../text/format';

/** Those of one engine. */
export interface ILeftOver {
  readonly engine: EngineName;
  readonly count: number;
  /** The cell, where all are of one; else empty. */
  readonly prompt: string;
  /** What they hold on each card, as far as that is told; there may be more. */
  readonly workers: readonly ICardWorker[];
}

/** What was left over, engine by engine; those that have ended are gone. */
export function leftOverIn(
  { engines }: IFollowedWorkers,
  cards: readonly IWorkerCard[]
): ILeftOver[] {
  const all = cards
    .flatMap(({ workers }) => workers)
    .filter(({ left_over, state }) => left_over && state !== 'ended');
  return engines
    .filter(({ left_over }) => left_over > 0)
    .map(({ engine, left_over }) => {
      const workers = all.filter(each => each.engine === engine);
      const counts = new Set(workers.map(each => each.execution_count));
      const [count = null] = counts;
      return {
        engine,
        count: left_over,
        prompt: counts.size === 1 && count !== null ? formatPrompt(count) : '',
        workers
      };
    });
}

/** What workers hold: it comes back when they end. */
export function heldBy(workers: readonly ICardWorker[]): number {
  return workers.reduce(
    (sum, { cached_bytes, in_use_bytes }) => sum + in_use_bytes + cached_bytes,
    0
  );
}

/** Each of them once that can be ended, though it is on several cards. */
export function endable(workers: readonly ICardWorker[]): string[] {
  const can = workers.filter(({ actions }) => actions.includes('end'));
  return [...new Set(can.map(({ id }) => id))];
}
