import type {
  ICell,
  IHistoryPoint,
  IReplies,
  IRequests,
  RequestArgs
} from '../protocol';

/** Where a helper can be asked. */
interface IAsked {
  request<K extends keyof IRequests>(
    type: K,
    args: RequestArgs<K>
  ): Promise<IReplies[K]>;
}

/** What the helper remembers of the time without this page. */
export interface IRecollection {
  readonly runs: readonly ICell[];
  readonly points: readonly IHistoryPoint[];
}

/**
 * Ask for runs of cells and readings; an older helper refuses, and there are none.
 */
export async function recall(memory: IAsked): Promise<IRecollection> {
  const [cells, history] = await Promise.allSettled([
    memory.request('cells', {}),
    memory.request('history', {})
  ]);
  return {
    runs: cells.status === 'fulfilled' ? cells.value.runs : [],
    points: history.status === 'fulfilled' ? history.value.points : []
  };
}
