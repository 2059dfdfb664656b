import { formatPair, GIB } from '../text/format';
import type { ITranslate } from '../text/translate';
import type { IDeath, IMemoryState } from './state';

/** Less than this share of the host's memory left, or this much, is next to none. */
const NEARLY_NONE_SHARE = 0.05;
const NEARLY_NONE_BYTES = GIB / 2;

/** More than this share left, and a kernel that took it all would have shown. */
const PLENTY_SHARE = 0.2;

/** Memory that is there a moment before is there at the end; longer ago tells little. */
const RECENT_MS = 10_000;

/**
 * What the last readings tell of a kernel that died.
 *
 * @param last - what was known of it before its numbers were forgotten
 * @param now - milliseconds of this page's clock
 */
export function deathOf(last: IMemoryState, now: number): IDeath {
  const { sample, sampleAt_ms } = last;
  return {
    host: sample?.host ?? null,
    age_ms: sampleAt_ms === null ? null : now - sampleAt_ms
  };
}

/**
 * Whether host memory was the cause, as far as the last readings tell; short
 * enough for a notification, which has room for 140 characters.
 */
export function explainDeath(death: IDeath, trans: ITranslate): string {
  const { available_bytes = null, total_bytes = null } = death.host ?? {};
  if (available_bytes === null || !total_bytes || death.age_ms === null) {
    return trans.__(
      'The kernel died. Host memory was not measured, so it is not known whether that ran out.'
    );
  }
  const left = formatPair(available_bytes, total_bytes, trans.__(' of '));
  const age_s = Math.round(death.age_ms / 1000);
  const share = available_bytes / total_bytes;
  if (available_bytes < NEARLY_NONE_BYTES || share < NEARLY_NONE_SHARE) {
    return trans.__(
      'The kernel died. Its last reading, %1 s earlier, showed %2 host memory left: running out of it is the likely cause.',
      age_s,
      left
    );
  }
  if (share < PLENTY_SHARE || death.age_ms > RECENT_MS) {
    return trans.__(
      'The kernel died. Its last reading, %1 s earlier, showed %2 host memory left: it may have run out since.',
      age_s,
      left
    );
  }
  return trans.__(
    'The kernel died. Its last reading, %1 s earlier, showed %2 host memory left: host memory does not explain it.',
    age_s,
    left
  );
}
