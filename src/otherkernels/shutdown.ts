import { Dialog, showDialog, showErrorMessage } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { formatBytes } from '../text/format';
import { sentenceOf } from '../text/reason';
import type { IOtherKernels } from '../tokens';
import type { IShare } from './sharing';

/**
 * Shut another kernel down, if the person still wants that when told what is lost.
 *
 * Never rejects: a failure is shown.
 *
 * @returns whether it was shut down
 */
export async function shutDown(
  others: IOtherKernels,
  { kernel, bytes }: IShare,
  trans: TranslationBundle
): Promise<boolean> {
  const size = formatBytes(bytes);
  const isAgreed = await showDialog({
    title: trans.__('Shut down the kernel of %1?', kernel.name),
    body: [
      // Names are alike where folders are not.
      kernel.path ? `${kernel.path}: ${size}.` : `${size}.`,
      kernel.isBusy && trans.__('A cell is running in it.'),
      trans.__('Its variables are lost.')
    ]
      .filter(Boolean)
      .join(' '),
    buttons: [
      Dialog.cancelButton(),
      Dialog.warnButton({ label: trans.__('Shut down') })
    ],
    defaultButton: 0
  }).then(
    ({ button }) => button.accept,
    // The page has closed it.
    () => false
  );
  if (!isAgreed) {
    return false;
  }
  try {
    await others.shutDown(kernel.id);
    return true;
  } catch (reason) {
    await showErrorMessage(
      trans.__('The kernel of %1 was not shut down', kernel.name),
      sentenceOf(reason)
    );
    return false;
  }
}
