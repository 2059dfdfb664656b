import * as React from 'react';

import { Icon } from '../components/icon';
import { Sentence } from '../components/sentence';
import type { IRemedy } from '../protocol';
import { own } from '../text/own';
import { CardButtons } from './cardbuttons';
import type { ICardState, IContext } from './state';

/**
 * The remedies in the order that trying them has shown: what is no edit stays in its
 * place, and so does what was not tried; what fails again comes last.
 */
export function triedFirst(
  remedies: readonly IRemedy[],
  { tried }: ICardState
): readonly IRemedy[] {
  if (!tried || tried.isGoing) {
    return remedies;
  }
  const rank = ({ id }: IRemedy): number => {
    const fits = own(tried.byRemedy, id)?.fits;
    return fits === true ? 0 : fits === false ? 2 : 1;
  };
  const edits = remedies.filter(({ kind }) => kind === 'edit');
  const sorted = [...edits].sort((a, b) => rank(a) - rank(b));
  return remedies.map(each =>
    each.kind === 'edit' ? (sorted.shift() ?? each) : each
  );
}

/** The way to have the edits tried on a simulated GPU, and how far that is. */
export function Tries(context: IContext): React.JSX.Element | null {
  const { offers, state } = context;
  const buttons = offers.forEdits(context);
  const text = state.tried?.text ?? '';
  return buttons.length === 0 && text === '' ? null : (
    <div className="jp-GpuHeadroomCard-progress" role="status">
      {text !== '' && (
        <>
          <Icon name="flask" />
          <span>
            <Sentence text={text} />
          </span>
        </>
      )}
      <CardButtons {...context} buttons={buttons} />
    </div>
  );
}

/** What came of trying one edit. */
export function TriedEdit(
  props: IContext & { remedy: IRemedy }
): React.JSX.Element | null {
  const { remedy, sentence, state, trans } = props;
  const tried = state.tried && own(state.tried.byRemedy, remedy.id);
  if (!tried) {
    return null;
  }
  const { fits, message, number } = tried;
  const said = sentence(message);
  return (
    <p className="jp-GpuHeadroomCard-tried">
      <Icon name={fits === null ? 'info' : fits ? 'check' : 'octagon'} />
      <span>
        <Sentence
          text={
            number === null
              ? trans.__('Tried on a simulated GPU: %1', said)
              : trans.__('Tried on a simulated GPU with %1: %2', number, said)
          }
        />
      </span>
    </p>
  );
}
