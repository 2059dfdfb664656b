/** Memory of other kernels on the same GPU. */
import type { IDevice } from '../protocol';
import type { IOtherKernel } from './otherkernel';

/** Memory of another kernel on one GPU. */
export interface IShare {
  readonly kernel: IOtherKernel;
  /** In use and cached, which is freed when the kernel ends. */
  readonly bytes: number;
}

/** Memory of other kernels on a GPU, the largest first. */
export function sharesOf(
  kernels: readonly IOtherKernel[],
  device: IDevice
): IShare[] {
  return kernels
    .map(kernel => ({ kernel, bytes: heldBy(kernel, device) }))
    .filter(({ bytes }) => bytes > 0)
    .sort((first, second) => second.bytes - first.bytes);
}

/**
 * Memory of other programs without the kernels that replied; `null`: not measured.
 * Includes the driver contexts of these kernels.
 */
export function restOf(
  others_bytes: number | null,
  shares: readonly IShare[]
): number | null {
  const known_bytes = shares.reduce((sum, { bytes }) => sum + bytes, 0);
  return others_bytes === null ? null : Math.max(0, others_bytes - known_bytes);
}

function heldBy({ devices }: IOtherKernel, gpu: IDevice): number {
  const device = devices.find(other => isSame(other, gpu));
  return device ? device.in_use_bytes + device.cached_bytes : 0;
}

/**
 * Compare by UUID if both have it; else by index, which is the same in two kernels of
 * one server unless their visible devices were chosen.
 */
function isSame(one: IDevice, other: IDevice): boolean {
  if (one.backend !== other.backend || one.simulated !== other.simulated) {
    return false;
  }
  return one.uuid !== null && other.uuid !== null
    ? plain(one.uuid) === plain(other.uuid)
    : one.index === other.index;
}

/** Drivers write a prefix that frameworks omit. */
function plain(uuid: string): string {
  return uuid.toLowerCase().replace(/^(gpu|mig)-/, '');
}
