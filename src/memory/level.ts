/** How much headroom there is, derived from the one state, so that all views agree. */
import type { IDevice, IOom, ISample, ITrend } from '../protocol';
import type { IMemoryState, Level } from './state';

/**
 * Condition of a measured device: its level, filling up, or short for the running cell.
 */
export type Condition = Level | 'filling' | 'short';

/** Limits as shares of the capacity. */
const TIGHT = 0.2;
const CRITICAL = 0.05;

/** Share by which a limit must be passed before a level is left again. */
const HYSTERESIS = 0.02;

/** A device counts as filling if it will be full within this time, in seconds. */
const SOON_S = 120;

/** A filling device no longer counts as such if it takes longer than this, in seconds. */
const NOT_SOON_S = 140;

/**
 * The trend of the device that will be full first; `null` if none will be soon.
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

/** The level of a device of a kernel at its newest reading. */
export function levelIn(state: IMemoryState, device: IDevice): Level {
  return levelOf(device, state.levels[device.index] ?? 'ok', state.lastOom);
}

/** The trend that will soon fill a device of a kernel; `null`: none will. */
export function fillingIn(
  state: IMemoryState,
  trends: readonly ITrend[] = state.sample?.trends ?? []
): ITrend | null {
  return soonestFull(trends, state.isFilling);
}

/** Update the levels and trends from a reading. */
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
 * Also critical while the last failed request would fail again; a request larger than
 * the whole GPU implies nothing about the GPU.
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

/** The device with the least headroom as a share of its capacity. */
export function fullest(devices: readonly IDevice[]): IDevice | null {
  const share = ({ headroom_bytes, capacity_bytes }: IDevice): number =>
    headroom_bytes === null || !capacity_bytes
      ? 1
      : headroom_bytes / capacity_bytes;
  return devices.reduce<IDevice | null>(
    (least, device) =>
      !least || share(device) < share(least) ? device : least,
    null
  );
}
