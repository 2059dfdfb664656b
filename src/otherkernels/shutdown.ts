import type { TranslationBundle } from '@jupyterlab/translation';

import { askConsent } from '../lab/consent';
import { Notice } from '../lab/notice';
import { formatBytes } from '../text/format';
import { sentenceOf } from '../text/reason';
import type { OtherKernels } from './otherkernels';
import type { IShare } from './sharing';

/**
 * Shut another kernel down if the user confirms after seeing what is lost.
 *
 * Never rejects: the result is shown in a notification. Cannot be canceled, since the
 * server completes a shutdown.
 *
 * @returns whether it was shut down
 */
export async function shutDown(
  others: OtherKernels,
  { kernel, bytes }: IShare,
  trans: TranslationBundle
): Promise<boolean> {
  const size = formatBytes(bytes);
  const agreed = await askConsent(
    {
      title: trans.__('Shut down the kernel of %1?', kernel.name),
      costs: [],
      notes: [
        // Notebooks in different folders may have the same name.
        [
          kernel.path ? `${kernel.path}: ${size}.` : `${size}.`,
          kernel.isBusy && trans.__('A cell is running in it.'),
          trans.__('Its variables are lost.')
        ]
          .filter(Boolean)
          .join(' ')
      ],
      label: trans.__('Shut down')
    },
    trans
  );
  if (agreed === null) {
    return false;
  }
  const { name } = kernel;
  const going = trans.__('Shutting down the kernel of %1…', name);
  const notice = new Notice(trans, going);
  try {
    await others.shutDown(kernel.id);
    const done = trans.__('The kernel of %1 was shut down: %2.', name, size);
    notice.finish(done, 'success');
    return true;
  } catch (reason) {
    const why = sentenceOf(reason);
    notice.finish(
      trans.__('The kernel of %1 was not shut down: %2', name, why),
      'error'
    );
    return false;
  }
}
