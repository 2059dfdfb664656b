import type { TranslationBundle } from '@jupyterlab/translation';

import { formatRange } from '../memory/peak';
import { formatBytes, formatPair } from '../text/format';
import type { FitEnd, IFit, IPeak } from './fit';

/**
 * What *Make it fit* does, or what came of it, in one sentence that is short
 * enough for a notification.
 */
export function fitSentence(fit: IFit, trans: TranslationBundle): string {
  const { end, isCancelled, setting, step, tries } = fit;
  if (end !== null) {
    return endSentence(fit, trans);
  }
  if (isCancelled) {
    return step === 'running'
      ? trans.__('Stopping after this try…')
      : trans.__('Stopping…');
  }
  switch (step) {
    case 'asking':
      return trans.__('Looking at what running it again would cost…');
    case 'agreeing':
      return trans.__('Asking what may be lost…');
    case 'freeing':
      return trans.__('Freeing what the failed cell holds…');
    case 'editing':
    case 'running':
      return tries === 1
        ? trans.__('Trying %1…', named(setting, trans))
        : trans.__('Trying %1, try %2…', named(setting, trans), tries);
    default:
      return tries === 0
        ? trans.__('Looking for what would make it fit…')
        : trans.__('%1 does not fit. Looking further…', named(setting, trans));
  }
}

/** Why no second one is begun. */
export function nameBusy(trans: TranslationBundle): string {
  return trans.__('Another try is on its way in this kernel.');
}

function endSentence(
  { end, setting, tries }: IFit,
  trans: TranslationBundle
): string {
  const name = named(setting, trans);
  switch (end?.kind) {
    case 'fits':
      return fits(name, end.peak, trans);
    case 'nothing-left':
      return tries === 0
        ? trans.__('Nothing is left to try.')
        : trans.__('Nothing is left to try: %1 does not fit either.', name);
    case 'other-error':
      return trans.__('Stopped: with %1 the cell failed otherwise.', name);
    case 'cancelled':
      return cancelled(end.left, trans);
    case 'refused':
      return end.text;
    default:
      return '';
  }
}

function cancelled(
  left: Extract<FitEnd, { kind: 'cancelled' }>['left'],
  trans: TranslationBundle
): string {
  switch (left) {
    case 'nothing':
      return trans.__('Canceled: nothing was changed.');
    case 'names':
      return trans.__(
        'Canceled: the code is as it was. What you agreed to delete was gone by then.'
      );
    case 'tries':
      return trans.__('Canceled: the code is as it was before the last try.');
    case 'edit':
      return trans.__('Canceled. The edit stays: it could not be taken back.');
  }
}

function fits(
  name: string,
  peak: IPeak | null,
  trans: TranslationBundle
): string {
  if (peak === null) {
    return trans.__('%1 fits.', name);
  }
  const { capacity_bytes: capacity, least_bytes, most_bytes } = peak;
  const size =
    capacity === null
      ? formatRange(peak, trans)
      : most_bytes === least_bytes
        ? formatPair(least_bytes, capacity, trans.__(' of '))
        : trans.__('%1 of %2', formatRange(peak, trans), formatBytes(capacity));
  return trans.__('%1 fits: peak %2.', name, size);
}

function named(setting: string | null, trans: TranslationBundle): string {
  return setting ?? trans.__('the edit');
}
