/**
 * How much room there is, read off the one state: the same wherever it is shown.
 */
import type { IDevice, IOom, ISample, ITrend } from '../protocol';
import type { IMemoryState, Level } from './state';

/** What a device that is measured is like: filling up, or how much is left. */
export type Condition = Level | 'filling' | 'short';

/** Limits as shares of the capacity. */
const TIGHT = 0.2;
const CRITICAL = 0.05;

/** A limit must be passed by this much before a level is left again. */
const HYSTERESIS = 0.02;

/** Filling up is worth a word when it is full within this time, in seconds. */
const SOON_S = 120;

/** And no longer when it takes longer than this. */
const NOT_SOON_S = 140;

/**
 * The trend of the device that is full the soonest; `null` when none is soon.
 *
 * @param wasFilling - whether one was: then it must take clearly longer
 */
export function soonestFull(
  trends: readonly ITrend[],
  wasFilling: boolean
): ITrend | null {
  const limit_s = wasFilling ? NOT_SOON_S : SOON_S;
  const left_s = ({ state, full_in_s }: ITrend): number =>
    state === 'growing' ? (full_in_s ?? Infinity) : Infinity;
  const [soonest] = [...trends].sort((a, b) => left_s(a) - left_s(b));
  return soonest && left_s(soonest) <= limit_s ? soonest : null;
}

/** The level of a device of a kernel, as at its newest reading. */
export function levelIn(state: IMemoryState, device: IDevice): Level {
  return levelOf(device, state.levels[device.index] ?? 'ok', state.lastOom);
}

/** The trend that will soon have filled a device of a kernel; `null`: none will. */
export function fillingIn(
  state: IMemoryState,
  trends: readonly ITrend[] = state.sample?.trends ?? []
): ITrend | null {
  return soonestFull(trends, state.isFilling);
}

/** What a reading makes of the levels and trends so far. */
export function judge(
  state: IMemoryState,
  { devices, trends }: ISample
): Pick<IMemoryState, 'levels' | 'isFilling'> {
  const levels = devices.map(
    device => [device.index, levelIn(state, device)] as const
  );
  return {
    levels: Object.fromEntries(levels),
    isFilling: fillingIn(state, trends) !== null
  };
}

/**
 * The level of a device.
 *
 * Critical as well while the last request that failed would fail again; a
 * request for more than the whole card says nothing about the card.
 *
 * @param previous - the level so far, which is left with hysteresis
 */
export function levelOf(
  device: IDevice,
  previous: Level,
  lastOom: IOom | null
): Level {
  const { capacity_bytes, headroom_bytes } = device;
  if (!capacity_bytes || headroom_bytes === null) {
    return 'ok';
  }
  const requested = lastOom?.requested_bytes ?? 0;
  const isSameDevice = (lastOom?.device_index ?? device.index) === device.index;
  if (
    isSameDevice &&
    requested < capacity_bytes &&
    requested > headroom_bytes
  ) {
    return 'critical';
  }
  return byShare(headroom_bytes / capacity_bytes, previous);
}

function byShare(share: number, previous: Level): Level {
  const leaveCritical = previous === 'critical' ? HYSTERESIS : 0;
  const leaveTight = previous === 'ok' ? 0 : HYSTERESIS;
  if (share < CRITICAL + leaveCritical) {
    return 'critical';
  }
  return share < TIGHT + leaveTight ? 'tight' : 'ok';
}

/**
 * The device with the least headroom as a share of its capacity.
 */
export function fullest(devices: readonly IDevice[]): IDevice | null {
  const share = ({ headroom_bytes, capacity_bytes }: IDevice): number =>
    headroom_bytes === null || !capacity_bytes
      ? 1
      : headroom_bytes / capacity_bytes;
  return devices.reduce<IDevice | null>(
    (found, device) =>
      !found || share(device) < share(found) ? device : found,
    null
  );
}
