/**
 * Sizes as text: GiB, MiB and KiB are powers of two.
 *
 * The counterpart of `python_helper/gpu_headroom/text/format.py`.
 */

import type { ITranslate } from './translate';

export const KIB = 2 ** 10;
export const MIB = 2 ** 20;
export const GIB = 2 ** 30;

/** Smallest size shown in GiB. */
const SMALLEST_IN_GIB = GIB / 10;

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

const MINUS = '\u2212';

function split(bytes: number, decimals: number): [string, string] {
  const size = Math.abs(bytes);
  const sign = bytes < 0 ? MINUS : '';
  if (size === 0) {
    return ['0', 'MiB'];
  }
  if (size >= SMALLEST_IN_GIB) {
    return [sign + (size / GIB).toFixed(decimals), 'GiB'];
  }
  if (size >= MIB) {
    return [sign + (size / MIB).toFixed(0), 'MiB'];
  }
  if (size >= KIB) {
    return [sign + (size / KIB).toFixed(0), 'KiB'];
  }
  return [sign + size.toString(), 'bytes'];
}

/**
 * Integer bytes as "11.2 GiB"; below 0.1 GiB as "95 MiB", below 1 MiB as "12 KiB".
 *
 * @param decimals - of GiB only
 */
export function formatBytes(bytes: number, decimals = 1): string {
  return split(bytes, decimals).join(' ');
}

/** A duration as "40 s", "5 min", "2.5 h", "3 days". */
export function formatDuration(
  seconds: number,
  trans: ITranslate,
  decimals = 0
): string {
  const round = (number: number): number =>
    decimals ? Number(number.toFixed(decimals)) : Math.floor(number);
  if (seconds < 60) {
    return trans.__('%1 s', Math.floor(seconds));
  }
  if (seconds < HOUR_S) {
    return trans.__('%1 min', round(seconds / 60));
  }
  return seconds < 2 * DAY_S
    ? trans.__('%1 h', round(seconds / HOUR_S))
    : trans.__('%1 days', Math.floor(seconds / DAY_S));
}

/** The number alone of a size in GiB, beside its unit; empty if it is too small. */
export function formatGib(bytes: number): string {
  return bytes < SMALLEST_IN_GIB ? '' : (bytes / GIB).toFixed(1);
}

/**
 * Two sizes with the unit once: "6.3 / 14.7 GiB", but "95 MiB / 14.7 GiB".
 */
export function formatPair(
  left: number,
  right: number,
  separator = ' / '
): string {
  const [first, unit] = split(left, 1);
  const [second, common] = split(right, 1);
  const same = unit === common || left === 0;
  return `${first}${same ? '' : ` ${unit}`}${separator}${second} ${common}`;
}

/**
 * Format sizes that are shown beside each other. In GiB, with two decimals if all are
 * below 10 GiB; in MiB if one is below 0.1 GiB and none reaches 1 GiB. Where two
 * different sizes would look the same, in MiB, in MiB with two decimals, or in bytes.
 */
export function formatCompared(...sizes: readonly number[]): string[] {
  const amounts = sizes.map(Math.abs);
  const decimals = amounts.every(amount => amount < 10 * GIB) ? 2 : 1;
  const inMib =
    amounts.every(amount => amount < GIB) &&
    amounts.some(amount => amount < GIB / 10);
  const areToldApart = (shown: readonly string[]) =>
    new Set(shown).size === new Set(sizes).size;
  const shown = sizes.map(size =>
    inMib ? formatInMib(size) : formatBytes(size, decimals)
  );
  if (areToldApart(shown)) {
    return shown;
  }
  return (
    [0, 2]
      .map(places => sizes.map(size => formatInMib(size, places)))
      .find(areToldApart) ??
    sizes.map(size => `${size} bytes`.replace('-', MINUS))
  );
}

function formatInMib(size: number, places = 0): string {
  return places === 0 && Math.abs(size) < GIB / 10
    ? formatBytes(size)
    : `${(size / MIB).toFixed(places).replace('-', MINUS)} MiB`;
}

/** A cell by its prompt: "In [7]"; "In [ ]" without a number. */
export function formatPrompt(executionCount: number | null): string {
  return `In [${executionCount ?? ' '}]`;
}
