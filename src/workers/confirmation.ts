import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { EngineName, IMessage, WorkerAction } from '../protocol';
import { formatBytes } from '../text/format';
import { words } from '../text/messages';

/** What is to be done, and with whom. */
export interface IProposal {
  readonly action: Exclude<WorkerAction, 'free'>;
  readonly engine: EngineName;
  /** What they are called together: "rank 1", "2 ranks of In [4]". */
  readonly name: string;
  /** What they hold now. */
  readonly bytes: number;
  readonly isLeftOver: boolean;
  /** What is lost, where it is known by name. */
  readonly price?: IMessage | null;
}

/**
 * Ask a person for the price of a restart or an end; resolves to whether they agree.
 * The button to leave it has the focus.
 */
export async function confirmEnd(
  proposal: IProposal,
  trans: TranslationBundle
): Promise<boolean> {
  const { action, bytes, name } = proposal;
  const isEnd = action === 'end';
  return showDialog({
    title: isEnd ? trans.__('End %1?', name) : trans.__('Restart %1?', name),
    body: [
      priceOf(proposal, trans),
      bytes > 0 && trans.__('%1 of GPU memory come back.', formatBytes(bytes))
    ]
      .filter(Boolean)
      .join(' '),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.warnButton({
        label: isEnd ? trans.__('End') : trans.__('Restart')
      })
    ],
    defaultButton: 0
  }).then(
    ({ button }) => button.accept,
    // The page has closed it.
    () => false
  );
}

/** What is lost. */
function priceOf(
  { action, engine, isLeftOver, price = null }: IProposal,
  trans: TranslationBundle
): string {
  if (action === 'restart' && engine === 'dask') {
    const lost =
      price === null
        ? trans.__(
            'The results that it holds are lost: Dask computes again those that it can.'
          )
        : words(trans).sentence(price);
    return `${lost} ${trans.__('The tasks that run there begin again.')}`;
  }
  if (engine === 'rank' && !isLeftOver) {
    return trans.__(
      'It stops at once, and what it has not saved is lost. The other ranks of its cell may fail, or wait for it.'
    );
  }
  return action === 'restart'
    ? trans.__('All that is kept in its process is lost.')
    : trans.__('What is not saved is lost.');
}
