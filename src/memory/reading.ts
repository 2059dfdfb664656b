/** Reading of the gauge: a pure function of the state. */
import type { ICell, IDevice, IMessage, ISample, ITrend } from '../protocol';
import { fillingIn, fullest, levelIn } from './level';
import { staleness } from './model';
import type { IShortage } from './shortage';
import type { IDeath, IMemoryState, Level } from './state';

/** Time without a GPU after which the gauge shows that; a simulated one may follow. */
export const NO_GPU_AFTER_MS = 2000;

/** Time without a GPU after which the gauge is hidden. */
export const NO_GPU_UNTIL_MS = 10_000;

/** A device, with the number of devices. */
interface IMeasured {
  readonly device: IDevice;
  readonly count: number;
}

/** No framework uses the GPU; there is a device if the driver could be queried. */
interface IIdle {
  readonly kind: 'idle';
  /** A framework is loaded and has not used the GPU. */
  readonly isLoaded: boolean;
  /** The fullest device, with its use by other programs. */
  readonly gpu: IDevice | null;
  readonly count: number;
}

/** One of the states of the gauge. */
export type Reading =
  | { readonly kind: 'hidden' }
  | { readonly kind: 'disconnected'; readonly death: IDeath | null }
  | { readonly kind: 'off' }
  | { readonly kind: 'problem'; readonly problem: string }
  /** CUDA is unusable in this kernel, for the given reason. */
  | { readonly kind: 'stopped'; readonly why: IMessage }
  | { readonly kind: 'none' }
  | IIdle
  | (IMeasured & { readonly kind: 'stale'; readonly age_ms: number })
  | (IMeasured & { readonly kind: 'filling'; readonly trend: ITrend })
  /** The running cell may not fit, by its last run. */
  | (IMeasured & {
      readonly kind: 'short';
      readonly shortage: IShortage;
      readonly cell: ICell | null;
    })
  /** There is enough room, and a release waits for the running cell to end. */
  | (IMeasured & { readonly kind: 'queued' })
  | (IMeasured & { readonly kind: Level });

/** State that the gauge keeps of one kernel between readings. */
export interface IMemo {
  /**
   * Whether the kernel was live before: while reconnecting it is shown as disconnected.
   */
  readonly wasLive: boolean;
  /** When it was first found to have no GPU, in milliseconds. */
  readonly noGpuSince_ms: number | null;
}

export const NO_MEMO: IMemo = {
  wasLive: false,
  noGpuSince_ms: null
};

/**
 * Derive the reading of a kernel from its state.
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
      return memo.wasLive ? disconnected(state) : { kind: 'hidden' };
    case 'disconnected':
      return disconnected(state);
    case 'off':
      return { kind: state.offReason === 'click' ? 'off' : 'hidden' };
    case 'foreign':
    case 'incompatible':
    case 'failed':
      return { kind: 'problem', problem: state.problem ?? '' };
    case 'live':
      return readLive(state, now);
  }
}

function disconnected({ death }: IMemoryState): Reading {
  return { kind: 'disconnected', death };
}

/** Derive the reading of a kernel whose helper replies. */
export function readLive(state: IMemoryState, now: number): Reading {
  const { sample } = state;
  if (!sample) {
    return { kind: 'hidden' };
  }
  const why = sample.devices
    .flatMap(({ notes }) => notes)
    .find(({ id }) => id === 'sticky_error.sentence');
  if (why) {
    return { kind: 'stopped', why };
  }
  const device = fullest(sample.devices);
  const count = sample.devices.length;
  if (sample.state === 'no_framework' || sample.state === 'not_initialised') {
    const isLoaded = sample.state === 'not_initialised';
    return { kind: 'idle', isLoaded, gpu: device, count };
  }
  if (!device || sample.state === 'no_gpu') {
    return { kind: 'none' };
  }
  const age_ms = staleness(state, now);
  return age_ms === null
    ? readFresh(state, sample, device)
    : { kind: 'stale', age_ms, device, count };
}

/** Read the fullest device, unless another one will soon be. */
function readFresh(
  state: IMemoryState,
  { devices, queued }: ISample,
  device: IDevice
): Reading {
  const count = devices.length;
  const level = levelIn(state, device);
  const trend = fillingIn(state);
  const filling = devices.find(({ index }) => index === trend?.device_index);
  if (level !== 'critical' && trend && filling) {
    return { kind: 'filling', trend, device: filling, count };
  }
  const { cell, shortage } = state;
  const lacking = devices.find(({ index }) => index === shortage?.device_index);
  if (level !== 'critical' && shortage && lacking) {
    return { kind: 'short', shortage, cell, device: lacking, count };
  }
  const isWaiting = level === 'ok' && queued.length > 0;
  return { kind: isWaiting ? 'queued' : level, device, count };
}

/** Update the memo after a reading. */
export function remember(memo: IMemo, reading: Reading, now: number): IMemo {
  const { kind } = reading;
  const isLive =
    'device' in reading ||
    kind === 'none' ||
    kind === 'idle' ||
    kind === 'stopped';
  return {
    wasLive: memo.wasLive || isLive,
    noGpuSince_ms: kind === 'none' ? (memo.noGpuSince_ms ?? now) : null
  };
}

/**
 * Return the reading to show: a missing GPU is shown only after a while.
 *
 * A PyTorch without CUDA has no GPU until `gpu_headroom.simulate()`, which often
 * follows its import in the same cell.
 */
export function settle(reading: Reading, memo: IMemo, now: number): Reading {
  const noGpuFor_ms = now - (memo.noGpuSince_ms ?? now);
  return reading.kind === 'none' && noGpuFor_ms < NO_GPU_AFTER_MS
    ? { kind: 'idle', isLoaded: true, gpu: null, count: 0 }
    : reading;
}

/** Whether "No GPU" has been shown long enough. */
export function isOver(memo: IMemo, now: number): boolean {
  const { noGpuSince_ms } = memo;
  return noGpuSince_ms !== null && now - noGpuSince_ms > NO_GPU_UNTIL_MS;
}
