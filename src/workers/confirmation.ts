import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ICardWorker } from '../protocol';
import { formatBytes } from '../text/format';

/** Ask the user whether to end a worker; *Cancel* has the focus. */
export async function confirmEnd(
  { cached_bytes, in_use_bytes }: ICardWorker,
  name: string,
  trans: TranslationBundle
): Promise<boolean> {
  return showDialog({
    title: trans.__('End %1?', name),
    body: trans.__(
      'What is not saved is lost. %1 of GPU memory come back.',
      formatBytes(in_use_bytes + cached_bytes)
    ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.warnButton({ label: trans.__('End') })
    ],
    defaultButton: 0
  }).then(
    ({ button }) => button.accept,
    // The page has closed it.
    () => false
  );
}
