import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Sentence } from '../components/sentence';
import { explain } from '../kernel/problem';
import type { IMessage } from '../protocol';
import { words } from '../text/messages';
import type { ICost } from './cost';

/** What the question is about, and what can be done before it is answered. */
interface IQuestion {
  readonly title: string;
  /** What else is to be known; `null`: nothing. */
  readonly note: string | null;
  /** Saves what was trained; resolves to a sentence that says where. */
  readonly save: () => Promise<string>;
}

/**
 * Ask a person, in one dialog, for all that running cells again costs; resolves to
 * whether they agree. The button to leave it has the focus. What was trained can be
 * saved first, and then it is asked again.
 */
export async function agreeTo(
  cost: ICost,
  { note, save, title }: IQuestion,
  trans: TranslationBundle
): Promise<boolean> {
  const saving = trans.__('Save model and optimizer first');
  const label =
    cost.items.length > 0
      ? trans.__('Delete and run again')
      : trans.__('Run it again');
  let isSaved = false;
  let told: string | null = null;
  for (;;) {
    const { button } = await showDialog({
      title,
      body: <Costs cost={cost} note={note} told={told} trans={trans} />,
      buttons: [
        Dialog.cancelButton({ label: trans.__('Cancel') }),
        ...(cost.saves && !isSaved ? [Dialog.okButton({ label: saving })] : []),
        cost.items.length > 0
          ? Dialog.warnButton({ label })
          : Dialog.okButton({ label })
      ],
      defaultButton: 0
    });
    if (!button.accept || button.label !== saving) {
      return button.accept;
    }
    try {
      told = await save();
      isSaved = true;
    } catch (reason) {
      told = explain(reason, trans);
    }
  }
}

function Costs(props: {
  cost: ICost;
  note: string | null;
  told: string | null;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { cost, note, told, trans } = props;
  const { sentence } = words(trans);
  const said = (each: IMessage | string): string =>
    typeof each === 'string' ? each : sentence(each);
  const sentences = [
    ...cost.cautions.map(said),
    ...cost.items.map(({ confirm, title }) => sentence(confirm ?? title))
  ];
  return (
    <div>
      <ul className="jp-GpuHeadroom-prices">
        {sentences.map(each => (
          <li key={each}>
            <Sentence text={each} />
          </li>
        ))}
      </ul>
      {note === null ? null : <p>{note}</p>}
      {told === null ? null : (
        <p>
          <Sentence text={told} />
        </p>
      )}
    </div>
  );
}
