import type { IDevice, IHostMemory } from '../protocol';
import { formatBytes, formatPair, GIB } from '../text/format';
import type { ITranslate } from '../text/translate';
import { fullest } from './level';
import type { IDeath, IMemoryState } from './state';

/** Below this share of the host's memory, or this amount, next to none is left. */
const NEARLY_NONE_SHARE = 0.05;
const NEARLY_NONE_BYTES = GIB / 2;

/**
 * Above this share, exhaustion can be excluded: a kernel that used all memory would
 * have shown before.
 */
const PLENTY_SHARE = 0.2;

/**
 * Maximum age at which the last reading is evidence, in milliseconds; memory available
 * then was available at the end.
 */
const RECENT_MS = 10_000;

/**
 * Summarize the last readings of a kernel that died.
 *
 * @param last - the last state before its numbers were dropped
 * @param now - milliseconds of this page's clock
 */
export function deathOf(last: IMemoryState, now: number): IDeath {
  const { sample, sampleAt_ms } = last;
  return {
    device: fullest(sample?.devices ?? []),
    host: sample?.host ?? null,
    age_ms: sampleAt_ms === null ? null : now - sampleAt_ms,
    isKilled: false
  };
}

/**
 * Judge a death by the restarted kernel's first reading of the host; `null` until then.
 *
 * The system counts the processes that it kills for lack of memory, and a kernel is
 * restarted on the same host: a count higher than the last one before the death
 * includes it.
 */
export function judgeDeath(
  death: IDeath,
  { phase, sample }: IMemoryState
): IDeath | null {
  if (phase !== 'live' || !sample?.host) {
    return null;
  }
  const { oom_kills } = sample.host;
  const before = death.host?.oom_kills ?? null;
  const isKilled = before !== null && oom_kills !== null && oom_kills > before;
  return { ...death, isKilled };
}

/**
 * Whether host memory was the known or likely cause, and what the last reading showed;
 * short enough for a notification, which has room for 140 characters.
 */
export function explainDeath(death: IDeath, trans: ITranslate): string {
  return [explainCause(death, trans), describeLast(death, trans)]
    .filter(Boolean)
    .join(' ');
}

function explainCause(
  { age_ms, host, isKilled }: IDeath,
  trans: ITranslate
): string {
  if (isKilled) {
    return trans.__('The kernel was ended because host memory ran out.');
  }
  const { available_bytes = null, total_bytes = null } = host ?? {};
  if (available_bytes === null || !total_bytes || age_ms === null) {
    return trans.__('The kernel died. Host memory was not measured.');
  }
  const share = available_bytes / total_bytes;
  if (available_bytes < NEARLY_NONE_BYTES || share < NEARLY_NONE_SHARE) {
    return trans.__('The kernel died. Host memory probably ran out.');
  }
  return share < PLENTY_SHARE || age_ms > RECENT_MS
    ? trans.__('The kernel died. Host memory may have run out.')
    : trans.__('The kernel died. Host memory does not explain it.');
}

function describeLast(
  { age_ms, device, host }: IDeath,
  trans: ITranslate
): string {
  const age_s = Math.round((age_ms ?? 0) / 1000);
  const gpu = device && formatUsed(device, trans);
  const left = host && formatUsedHost(host, trans);
  if (gpu && left) {
    return trans.__(
      '%1 s before, GPU memory was %2, host memory %3.',
      age_s,
      gpu,
      left
    );
  }
  if (gpu) {
    return trans.__('%1 s before, GPU memory was %2.', age_s, gpu);
  }
  return left ? trans.__('%1 s before, host memory was %2.', age_s, left) : '';
}

function formatUsed(
  { capacity_bytes, in_use_bytes, used_bytes }: IDevice,
  trans: ITranslate
): string {
  return capacity_bytes === null
    ? formatBytes(in_use_bytes)
    : formatPair(used_bytes ?? in_use_bytes, capacity_bytes, trans.__(' of '));
}

function formatUsedHost(
  { available_bytes, total_bytes }: IHostMemory,
  trans: ITranslate
): string | null {
  return available_bytes === null || !total_bytes
    ? null
    : formatPair(
        Math.max(0, total_bytes - available_bytes),
        total_bytes,
        trans.__(' of ')
      );
}
