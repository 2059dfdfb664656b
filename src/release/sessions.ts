import { Token } from '@lumino/coreutils';

import type { IKernelMemory } from '../tokens';
import { type IReleaseServices, ReleaseSession } from './session';

/**
 * The release sessions of the page's kernels: one each.
 */
export class ReleaseSessions {
  constructor(private readonly _services: IReleaseServices) {}

  get(memory: IKernelMemory): ReleaseSession {
    const session =
      this._sessions.get(memory) ?? new ReleaseSession(memory, this._services);
    this._sessions.set(memory, session);
    return session;
  }

  private readonly _sessions = new WeakMap<IKernelMemory, ReleaseSession>();
}

/**
 * The token of the release sessions. It is for the surfaces of this extension:
 * what others may ask of a kernel stands in `IGpuMemory`.
 */
export const IReleaseSessions = new Token<ReleaseSessions>(
  'gpu-headroom:IReleaseSessions',
  'What can be freed in the kernels of this page, and the releases under way.'
);
