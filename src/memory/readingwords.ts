/**
 * The gauge in words.
 */
import type { IDevice } from '../protocol';
import { formatBytes, formatDuration, formatPair } from '../text/format';
import { words } from '../text/messages';
import { explainIdle, nameDevice, nameFrameworks } from '../text/names';
import type { ITranslate } from '../text/translate';
import { explainDeath } from './death';
import type { Reading } from './reading';
import { describeShortage } from './shortagewords';
import { formatFull } from './timelinewords';

/**
 * The text of the gauge: "GPU 6.3 / 14.7 GiB"; compact, "6.3 / 14.7".
 */
export function textOf(
  reading: Reading,
  trans: ITranslate,
  isCompact: boolean
): string {
  switch (reading.kind) {
    case 'hidden':
      return '';
    case 'disconnected':
      return trans.__('GPU — not connected');
    case 'off':
      return trans.__('GPU off — click to start');
    case 'problem':
      return trans.__('GPU — not measured');
    case 'stopped':
      return trans.__('GPU — restart needed');
    case 'none':
      return trans.__('No GPU');
    case 'idle':
      return reading.gpu?.simulated
        ? trans.__('Simulated GPU idle')
        : trans.__('GPU idle — not initialized');
    default:
      return sizeOf(reading.device, reading.count, trans, isCompact);
  }
}

function sizeOf(
  device: IDevice,
  count: number,
  trans: ITranslate,
  isCompact: boolean
): string {
  const { capacity_bytes, used_bytes, in_use_bytes } = device;
  const { shared_with_host, simulated } = device;
  const sizes =
    capacity_bytes === null
      ? formatBytes(in_use_bytes)
      : formatPair(used_bytes ?? in_use_bytes, capacity_bytes);
  if (isCompact) {
    return sizes.replace(/ GiB$/, '');
  }
  if (count > 1) {
    return simulated
      ? trans.__('Simulated GPU %1: %2', device.index, sizes)
      : trans.__('GPU %1: %2', device.index, sizes);
  }
  if (simulated) {
    return trans.__('Simulated GPU %1', sizes);
  }
  return shared_with_host
    ? trans.__('GPU and host %1', sizes)
    : trans.__('GPU %1', sizes);
}

/**
 * The word after the bar: "2.1 left", "8 s ago", or none.
 */
export function wordOf(reading: Reading, trans: ITranslate): string {
  switch (reading.kind) {
    case 'stale':
      return formatAge(reading.age_ms, trans);
    case 'filling':
      return formatFull(reading.trend.full_in_s ?? 0, trans);
    case 'short':
      return trans.__(
        'needed %1 last time',
        formatBytes(reading.shortage.needed.least_bytes).replace(/ GiB$/, '')
      );
    case 'tight':
    case 'critical': {
      const { headroom_bytes } = reading.device;
      // The unit of the preceding pair applies here too.
      const left = formatBytes(headroom_bytes ?? 0).replace(/ GiB$/, '');
      return trans.__('%1 left', left);
    }
    case 'queued':
      return trans.__('free queued');
    default:
      return '';
  }
}

/** Rank of the shown GPU among several: "fullest of 4"; empty if there is one. */
export function rankOf(reading: Reading, trans: ITranslate): string {
  if (!('device' in reading) || reading.count < 2) {
    return '';
  }
  return reading.kind === 'filling' || reading.kind === 'short'
    ? trans.__('one of %1', reading.count)
    : trans.__('fullest of %1', reading.count);
}

/** An age as "8 s ago". */
export function formatAge(age_ms: number, trans: ITranslate): string {
  const age_s = Math.round(age_ms / 1000);
  return trans.__('%1 ago', formatDuration(age_s, trans));
}

/** Tooltip and accessible label of the gauge, as sentences. */
export function describe(reading: Reading, trans: ITranslate): string {
  switch (reading.kind) {
    case 'hidden':
      return '';
    case 'disconnected':
      return reading.death
        ? explainDeath(reading.death, trans)
        : trans.__('GPU memory: the kernel is not connected.');
    case 'off':
      return trans.__('GPU memory: off in this kernel. Click to start.');
    case 'problem':
      return reading.problem;
    case 'stopped':
    case 'none':
    case 'idle':
      return explainGap(reading, trans);
    case 'stale':
      return trans.__(
        'Measured %1: %2',
        formatAge(reading.age_ms, trans),
        describeDevice(reading, trans)
      );
    case 'filling':
      return trans.__(
        '%1 At this rate it is %2.',
        describeDevice(reading, trans),
        formatFull(reading.trend.full_in_s ?? 0, trans)
      );
    case 'short':
      return [
        describeShortage(reading.shortage, reading.cell, trans),
        describeDevice(reading, trans)
      ].join(' ');
    case 'queued':
      return trans.__(
        '%1 Memory is freed when the running cell finishes.',
        describeDevice(reading, trans)
      );
    default:
      return describeDevice(reading, trans);
  }
}

/** Why a kernel that replies has no numbers; empty if it has some. */
export function explainGap(reading: Reading, trans: ITranslate): string {
  switch (reading.kind) {
    case 'stopped':
      return words(trans).sentence(reading.why);
    case 'none':
      return trans.__('This kernel sees no GPU.');
    case 'idle':
      return [
        explainIdle(reading.isLoaded, trans),
        explainOthers(reading, trans)
      ]
        .filter(Boolean)
        .join(' ');
    default:
      return '';
  }
}

/** Memory of a device used by other programs while this kernel does not use it yet. */
function explainOthers(
  { gpu, count }: Extract<Reading, { kind: 'idle' }>,
  trans: ITranslate
): string {
  // Memory shared with the host is also used by this kernel and the system.
  if (!gpu || gpu.shared_with_host) {
    return '';
  }
  const { outside_bytes, capacity_bytes } = gpu;
  if (outside_bytes === null || !capacity_bytes) {
    return '';
  }
  if (outside_bytes === 0) {
    return trans.__('All %1 are free.', formatBytes(capacity_bytes));
  }
  const used = formatPair(outside_bytes, capacity_bytes, trans.__(' of '));
  return count > 1
    ? trans.__(
        'Other programs use %1 of GPU %2, the fullest of %3.',
        used,
        gpu.index,
        count
      )
    : trans.__('Other programs use %1.', used);
}

function describeDevice(
  reading: Extract<Reading, { device: IDevice }>,
  trans: ITranslate
): string {
  const { device } = reading;
  const { capacity_bytes, used_bytes, headroom_bytes } = device;
  const rank = rankOf(reading, trans);
  const name = [nameDevice(device, trans), rank].filter(Boolean).join(', ');
  if (capacity_bytes === null || used_bytes === null) {
    const inUse = formatBytes(device.in_use_bytes);
    return trans.__('%1: %2 in use, the rest is not measured.', name, inUse);
  }
  const pair = formatPair(used_bytes, capacity_bytes, trans.__(' of '));
  const headroom = formatBytes(headroom_bytes ?? 0);
  const sentence = trans.__(
    '%1: %2 used, headroom about %3.',
    name,
    pair,
    headroom
  );
  return [sentence, remarkOn(device, trans)].filter(Boolean).join(' ');
}

/** Why the numbers of a device may be unexpected. */
function remarkOn(device: IDevice, trans: ITranslate): string {
  const excess = device.notes.find(({ id }) => id === 'note.beyond_gpu');
  if (excess) {
    return words(trans).sentence(excess);
  }
  return device.shared_with_host
    ? trans.__(
        'Shared with the host: its programs use this memory, and free is what it has available.'
      )
    : explainNvidiaSmi(device, trans);
}

/** Why `nvidia-smi` shows more; empty if it shows the same or nothing. */
function explainNvidiaSmi(device: IDevice, trans: ITranslate): string {
  const { used_bytes, cached_bytes, simulated } = device;
  if (simulated || used_bytes === null || cached_bytes === 0) {
    return '';
  }
  return trans.__(
    'nvidia-smi shows %1 because it counts the unused cache of %2 (%3) as used.',
    formatBytes(used_bytes + cached_bytes),
    nameFrameworks(
      device.frameworks.filter(framework => framework.cached_bytes),
      trans
    ),
    formatBytes(cached_bytes)
  );
}
