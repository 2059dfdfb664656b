import type { ICardWorker, Reply, Request } from './generated/wire';

/** Each kind of request, from a page to the kernel. */
export type IRequests = { [R in Request as R['type']]: R };

/** What the caller of a request gives; the link adds the rest. */
export type RequestArgs<K extends keyof IRequests> = Omit<
  IRequests[K],
  'type' | 'id' | 'protocol_version' | 'client_id'
>;

/** The reply to each kind of request. */
export type IReplies = {
  [R in Exclude<Reply, { type: 'refused' }> as R['type']]: R;
};

/** Any request that cannot be answered. */
export type IRefused = Extract<Reply, { type: 'refused' }>;

/** What can be done with a worker. */
export type WorkerAction = ICardWorker['actions'][number];
