/** Texts of other kernels. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { formatBytes, formatDuration } from '../text/format';
import { nameSize } from '../text/names';
import type { IOtherKernel } from './otherkernel';
import type { IShare } from './sharing';

const MINUTE_MS = 60_000;

/** Activity of a kernel: "busy", "idle 2 h". */
export function describeActivity(
  { isBusy, idleSince_ms }: IOtherKernel,
  now_ms: number,
  trans: TranslationBundle
): string {
  if (isBusy) {
    return trans.__('busy');
  }
  const idle_ms = idleSince_ms === null ? 0 : now_ms - idleSince_ms;
  return idle_ms >= MINUTE_MS
    ? trans.__('idle %1', formatDuration(idle_ms / 1000, trans))
    : trans.__('idle');
}

/** Memory of all others: the driver's number, and at least that of other kernels. */
export function describeTotal(
  others_bytes: number | null,
  shares: readonly IShare[],
  trans: TranslationBundle
): string {
  const shared_bytes = shares.reduce((sum, { bytes }) => sum + bytes, 0);
  if (others_bytes !== null) {
    return formatBytes(Math.max(others_bytes, shared_bytes));
  }
  return shared_bytes > 0
    ? trans.__('at least %1', formatBytes(shared_bytes))
    : nameSize(null, trans);
}
