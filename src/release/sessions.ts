import { Token } from '@lumino/coreutils';

import { perKernel } from '../kernel/perkernel';
import type { IKernelMemory } from '../tokens';
import { type IReleaseServices, ReleaseSession } from './session';

/** The release sessions of the page's kernels: one each. */
export class ReleaseSessions {
  constructor(services: IReleaseServices) {
    this.get = perKernel(
      memory =>
        new ReleaseSession(memory, services, () => this.isShared(memory))
    );
  }

  /** Whether another notebook is known to use a GPU of a kernel. */
  isShared: (memory: IKernelMemory) => boolean = () => false;

  readonly get: (memory: IKernelMemory) => ReleaseSession;
}

/**
 * Token of the release sessions, for the views of this extension only; `IGpuMemory` is
 * the API for others.
 */
export const IReleaseSessions = new Token<ReleaseSessions>(
  'gpu-headroom:IReleaseSessions',
  'What can be freed in the kernels of this page, and the releases under way.'
);
