import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Sentence } from '../components/sentence';

import '../../style/consent.css';

interface IConsent {
  readonly title: string;
  /** What it costs, each as a sentence with the marks of the catalogue. */
  readonly costs: readonly string[];
  /** What else is to be known. */
  readonly notes?: readonly string[];
  /** The button that agrees. */
  readonly label: string;
  /** Whether agreeing loses nothing. */
  readonly isSafe?: boolean;
  /** Another button: for what can be done first, or for less than all. */
  readonly first?: string;
}

/**
 * Ask a person for consent, in one dialog with all that it costs. The button to
 * leave it has the focus.
 *
 * @returns the label of the button that was pressed; `null`: they do not agree, or
 * the page has closed the dialog
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
