/**
 * Whose memory is on the same card.
 */
import type { IDevice } from '../protocol';
import type { IOtherKernel } from './otherkernel';

/** What another kernel holds of one card. */
export interface IShare {
  readonly kernel: IOtherKernel;
  /** In use and cached: it comes back when the kernel ends. */
  readonly bytes: number;
}

/**
 * What other kernels hold of a card, the largest first.
 */
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
 * What is left of what other programs hold, the kernels that answered not
 * counted; `null`: not measured. Their driver contexts are in it.
 */
export function restOf(
  others_bytes: number | null,
  shares: readonly IShare[]
): number | null {
  const known = shares.reduce((sum, { bytes }) => sum + bytes, 0);
  return others_bytes === null ? null : Math.max(0, others_bytes - known);
}

function heldBy({ devices }: IOtherKernel, card: IDevice): number {
  const device = devices.find(each => isSame(each, card));
  return device ? device.in_use_bytes + device.cached_bytes : 0;
}

/**
 * By UUID where both know it; else by index, which two kernels of one server
 * count alike unless their visible devices were chosen.
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
