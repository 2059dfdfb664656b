import type { TranslationBundle } from '@jupyterlab/translation';

import { isCompatible, PROTOCOL_VERSION } from '../protocol';
import { sentenceOf } from '../reason';
import { NoAnswer, NotUnderstood } from './channel';
import { OtherVersion } from './helper';

/** The helper will not have this page, and says why in a sentence. */
export class Refused extends Error {}

/** Whether another version on one of the sides is the reason. */
export function isMismatch(reason: unknown): boolean {
  return (
    reason instanceof Refused ||
    (reason instanceof NotUnderstood &&
      reason.version !== null &&
      !isCompatible(reason.version))
  );
}

/**
 * What went wrong, as one sentence for people.
 */
export function explain(reason: unknown, trans: TranslationBundle): string {
  if (reason instanceof NoAnswer) {
    return trans.__('The kernel did not answer.');
  }
  if (reason instanceof NotUnderstood) {
    return isMismatch(reason)
      ? trans.__(
          'The GPU Headroom in this kernel speaks protocol %1, this page speaks %2. Install the same version on both sides and restart the kernel.',
          reason.version,
          PROTOCOL_VERSION
        )
      : trans.__(
          'The GPU Headroom in this kernel gave an answer that this page does not understand. Restart the kernel.'
        );
  }
  if (reason instanceof OtherVersion) {
    return trans.__(
      'The helper in this kernel is of version %1 and GPU Headroom here of version %2: restart the kernel to use all of it.',
      reason.helper,
      reason.page
    );
  }
  return sentenceOf(reason);
}
