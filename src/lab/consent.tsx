import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Sentence } from '../components/sentence';

import '../../style/consent.css';

interface IConsent {
  readonly title: string;
  /** Costs, each a sentence with the markup of the catalog. */
  readonly costs: readonly string[];
  /** Further information. */
  readonly notes?: readonly string[];
  /** Label of the button that agrees. */
  readonly label: string;
  /** Whether agreeing loses nothing. */
  readonly isSafe?: boolean;
  /** Label of another button: for a step before, or for a smaller action. */
  readonly first?: string;
}

/**
 * Ask the user for consent, in one dialog that lists all costs. The button that
 * declines has the focus.
 *
 * @returns the label of the button that was pressed; `null`: the user declined, or
 *   the page closed the dialog
 */
export async function askConsent(
  { costs, first, isSafe, label, notes = [], title }: IConsent,
  trans: TranslationBundle
): Promise<string | null> {
  const list = (
    <ul className="jp-GpuHeadroom-prices">
      {costs.map(cost => (
        <li key={cost}>
          <Sentence text={cost} />
        </li>
      ))}
    </ul>
  );
  const body = (
    <div>
      {costs.length > 0 && list}
      {notes.map(note => (
        <p key={note}>
          <Sentence text={note} />
        </p>
      ))}
    </div>
  );
  try {
    const { button } = await showDialog({
      title,
      body,
      buttons: [
        Dialog.cancelButton({ label: trans.__('Cancel') }),
        ...(first === undefined ? [] : [Dialog.okButton({ label: first })]),
        isSafe ? Dialog.okButton({ label }) : Dialog.warnButton({ label })
      ],
      defaultButton: 0
    });
    return button.accept ? button.label : null;
  } catch {
    return null;
  }
}
