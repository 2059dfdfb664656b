/**
 * The rows of the tree of cards, from top to bottom: hosts where there are several,
 * their cards, the workers on these, and of a worker that is open what is known of it.
 */
import type { ICardWorker, IWorkerCard, IWorkerHost } from '../protocol';
import type { Workers } from './workers';

interface IPlace {
  /** Names the row. */
  readonly id: string;
  readonly level: number;
}

interface IOnCard extends IPlace {
  readonly card: IWorkerCard;
}

/** One of the rows. */
export type Row =
  | (IPlace & {
      readonly kind: 'host';
      readonly host: IWorkerHost;
      readonly isOpen: boolean;
    })
  | (IOnCard & {
      readonly kind: 'card';
      /** Its host is not the row above it. */
      readonly isNamed: boolean;
    })
  | (IOnCard & {
      readonly kind: 'worker';
      readonly worker: ICardWorker;
      readonly isOpen: boolean;
    })
  | (IOnCard & { readonly kind: 'detail'; readonly worker: ICardWorker })
  | (IOnCard & { readonly kind: 'more'; readonly count: number });

/** All rows that are seen now. */
export function rowsOf(workers: Workers): Row[] {
  const { answer, expanded, hosts, question } = workers;
  const cards = answer?.cards ?? [];
  if (question.filter || hosts.length === 0) {
    const areSeveral = hosts.length > 0;
    return cards.flatMap(card => rowsOn(card, 1, areSeveral, expanded));
  }
  return hosts.flatMap((host): Row[] => {
    const isOpen = host.name === question.host;
    // An answer may be of before it was opened.
    const own = isOpen ? cards.filter(card => card.host === host.name) : [];
    return [
      { kind: 'host', id: `host ${host.name}`, level: 1, host, isOpen },
      ...own.flatMap(card => rowsOn(card, 2, false, expanded))
    ];
  });
}

function rowsOn(
  card: IWorkerCard,
  level: number,
  isNamed: boolean,
  expanded: ReadonlySet<string>
): Row[] {
  const below = { card, level: level + 1 };
  const rows: Row[] = [
    { kind: 'card', id: `card ${card.id}`, level, card, isNamed }
  ];
  for (const worker of card.workers) {
    const id = `worker ${worker.id} ${card.id}`;
    const isOpen = expanded.has(id);
    rows.push({ kind: 'worker', id, ...below, worker, isOpen });
    if (isOpen) {
      rows.push({
        kind: 'detail',
        id: `${id}/detail`,
        card,
        level: level + 2,
        worker
      });
    }
  }
  if (card.more_workers > 0) {
    const count = card.more_workers;
    rows.push({ kind: 'more', id: `more ${card.id}`, ...below, count });
  }
  return rows;
}
