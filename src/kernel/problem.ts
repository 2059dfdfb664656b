import type { TranslationBundle } from '@jupyterlab/translation';

import type { Phase } from '../memory/state';
import { type IMessage, isCompatible, PROTOCOL_VERSION } from '../protocol';
import { words } from '../text/messages';
import { sentenceOf } from '../text/reason';
import { NoAnswer, NotUnderstood } from './channel';

/**
 * Thrown when the helper refuses this front end; the message is its reason, as a
 * sentence.
 */
export class Refused extends Error {}

/** Thrown when a kernel that is Python by name does not run IPython itself. */
export class Foreign extends Error {}

/**
 * Thrown when the kernel's Python is free-threaded (without a global interpreter lock).
 */
export class FreeThreaded extends Error {}

/** Thrown when the kernel did not reply within all retries. */
export class Silent extends NoAnswer {}

/** Thrown when the helper failed at a request; the message is its reason. */
export class Failed extends Error {
  constructor(readonly said: IMessage) {
    super(said.text);
  }
}

/** Thrown when the kernel process ended before the request did. */
export class Gone extends Error {}

/** The phase of a link to a kernel in which no helper could be found or started. */
export function phaseOf(
  reason: unknown
): Extract<Phase, 'failed' | 'foreign' | 'incompatible'> {
  if (reason instanceof Foreign || reason instanceof FreeThreaded) {
    return 'foreign';
  }
  return isMismatch(reason) ? 'incompatible' : 'failed';
}

/** Whether a version mismatch between the two sides is the reason. */
function isMismatch(reason: unknown): boolean {
  return (
    reason instanceof Refused ||
    (reason instanceof NotUnderstood &&
      reason.version !== null &&
      !isCompatible(reason.version))
  );
}

/** Describe a problem in one sentence for users. */
export function explain(reason: unknown, trans: TranslationBundle): string {
  if (reason instanceof Foreign) {
    return trans.__(
      'This kernel is called Python but does not run IPython, so GPU Headroom does not start in it.'
    );
  }
  if (reason instanceof FreeThreaded) {
    return trans.__(
      'GPU Headroom does not run in free-threaded Python: objects could change while it reads them.'
    );
  }
  if (reason instanceof Failed) {
    return words(trans).sentence(reason.said);
  }
  if (reason instanceof Gone) {
    return trans.__('The kernel is gone.');
  }
  if (reason instanceof Silent) {
    return trans.__(
      'The kernel did not answer. GPU Headroom tries again when it restarts or finishes a cell.'
    );
  }
  if (reason instanceof NoAnswer) {
    return trans.__('The kernel did not answer.');
  }
  if (reason instanceof NotUnderstood) {
    return isMismatch(reason)
      ? trans.__(
          'The GPU Headroom in this kernel uses protocol %1, this page uses %2. Install the same version on both sides and restart the kernel.',
          reason.version,
          PROTOCOL_VERSION
        )
      : trans.__(
          'The GPU Headroom in this kernel sent a message that this page cannot read. Restart the kernel.'
        );
  }
  return sentenceOf(reason);
}
