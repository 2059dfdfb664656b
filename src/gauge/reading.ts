/**
 * What the gauge shows: a pure function of what is known.
 */
import { staleness } from '../kernel/model';
import type { IDevice } from '../protocol';
import type { IMemoryState } from '../tokens';
import { fullest, type Level, levelOf } from './level';

/** After this long without a GPU the gauge says so: a simulated one may follow. */
export const NO_GPU_AFTER_MS = 2000;

/** After this long without a GPU the gauge steps aside. */
export const NO_GPU_UNTIL_MS = 10_000;

/** A device with how many there are. */
interface IMeasured {
  readonly device: IDevice;
  readonly count: number;
}

/** One of the states of the gauge. */
export type Reading =
  | { readonly kind: 'hidden' }
  | { readonly kind: 'disconnected' }
  | { readonly kind: 'off' }
  | { readonly kind: 'problem'; readonly problem: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'idle'; readonly isLoaded: boolean }
  | (IMeasured & { readonly kind: 'stale'; readonly age_ms: number })
  | (IMeasured & { readonly kind: Level });

/** What the gauge remembers of one kernel. */
export interface IMemo {
  readonly level: Level;
  /** The kernel was once live: while it is sought again, it is not connected. */
  readonly wasLive: boolean;
  /** When it was first seen to have no GPU, in milliseconds. */
  readonly noGpuSince_ms: number | null;
}

export const NO_MEMO: IMemo = {
  level: 'ok',
  wasLive: false,
  noGpuSince_ms: null
};

/**
 * Read the state of a kernel.
 *
 * @param now - milliseconds of this page's clock
 */
export function readGauge(
  state: IMemoryState,
  memo: IMemo,
  now: number
): Reading {
  switch (state.phase) {
    case 'absent':
      return { kind: 'hidden' };
    case 'connecting':
    case 'starting':
      return { kind: memo.wasLive ? 'disconnected' : 'hidden' };
    case 'disconnected':
      return { kind: 'disconnected' };
    case 'off':
      return { kind: state.offReason === 'click' ? 'off' : 'hidden' };
    case 'incompatible':
    case 'failed':
      return { kind: 'problem', problem: state.problem ?? '' };
    case 'live':
      return readLive(state, memo, now);
  }
}

function readLive(state: IMemoryState, memo: IMemo, now: number): Reading {
  const { sample, lastOom } = state;
  if (!sample) {
    return { kind: 'hidden' };
  }
  if (sample.state === 'no_framework' || sample.state === 'not_initialised') {
    return { kind: 'idle', isLoaded: sample.state === 'not_initialised' };
  }
  const device = fullest(sample.devices);
  if (!device || sample.state === 'no_gpu') {
    return { kind: 'none' };
  }
  const measured = { device, count: sample.devices.length };
  const age_ms = staleness(state, now);
  return age_ms === null
    ? { kind: levelOf(device, memo.level, lastOom), ...measured }
    : { kind: 'stale', age_ms, ...measured };
}

/**
 * What to remember after a reading.
 */
export function remember(memo: IMemo, reading: Reading, now: number): IMemo {
  const { kind } = reading;
  const isLevel = kind === 'ok' || kind === 'tight' || kind === 'critical';
  const isLive =
    isLevel || kind === 'stale' || kind === 'none' || kind === 'idle';
  return {
    level: isLevel ? kind : memo.level,
    wasLive: memo.wasLive || isLive,
    noGpuSince_ms: kind === 'none' ? (memo.noGpuSince_ms ?? now) : null
  };
}

/**
 * The reading to show: that there is no GPU only when it has been so for a while.
 *
 * A PyTorch without CUDA has no GPU until `gpu_headroom.simulate()`, which often
 * follows its import in the same cell.
 */
export function settle(reading: Reading, memo: IMemo, now: number): Reading {
  const noGpuFor_ms = now - (memo.noGpuSince_ms ?? now);
  return reading.kind === 'none' && noGpuFor_ms < NO_GPU_AFTER_MS
    ? { kind: 'idle', isLoaded: true }
    : reading;
}

/**
 * Whether "No GPU" has been said long enough.
 */
export function isOver(memo: IMemo, now: number): boolean {
  const { noGpuSince_ms } = memo;
  return noGpuSince_ms !== null && now - noGpuSince_ms > NO_GPU_UNTIL_MS;
}
