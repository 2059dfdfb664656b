import type { IGpuWorker, Reply, Request } from './generated/wire';

/** Each kind of request, from a front end to the kernel. */
export type IRequests = { [R in Request as R['type']]: R };

/** Arguments given by the caller of a request; the link adds the rest. */
export type RequestArgs<K extends keyof IRequests> = Omit<
  IRequests[K],
  'type' | 'id' | 'protocol_version' | 'client_id'
>;

/** The reply to each kind of request. */
export type IReplies = {
  [R in Exclude<Reply, { type: 'refused' }> as R['type']]: R;
};

/** Reply to a request that cannot be fulfilled. */
export type IRefused = Extract<Reply, { type: 'refused' }>;

/** An action on a worker. */
export type WorkerAction = IGpuWorker['actions'][number];
