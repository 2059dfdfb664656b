import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Sentence } from '../components/sentence';
import type { IItem } from '../protocol';
import { words } from '../text/messages';
import { nameConsent } from './words';

/**
 * Ask a person for the price of items, in one dialog; resolves to whether they
 * agree. The button to leave it has the focus.
 */
export async function confirmItems(
  items: readonly IItem[],
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('Free GPU memory'),
    body: <Prices items={items} trans={trans} />,
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.warnButton({ label: nameConsent(items, trans) })
    ],
    defaultButton: 0
  });
  return button.accept;
}

function Prices(props: {
  items: readonly IItem[];
  trans: TranslationBundle;
}): React.JSX.Element {
  const { items, trans } = props;
  const { sentence } = words(trans);
  return (
    <ul className="jp-GpuHeadroom-prices">
      {items.map(({ id, title, cost, confirm }) => (
        <li key={id}>
          <Sentence
            text={
              confirm
                ? sentence(confirm)
                : `${sentence(title)}: ${sentence(cost)}`
            }
          />
        </li>
      ))}
    </ul>
  );
}
