import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import type { IWorkersProps } from './props';

/** Cards of an answer at most. */
export const PAGE = 16;

/** Finds cards by name, where there are more than fit in one answer. */
export function Filter({
  trans,
  workers
}: IWorkersProps): React.JSX.Element | null {
  const { answer, question } = workers;
  // What is typed is seen at once, whatever else is drawn.
  const [typed, setTyped] = React.useState(question.filter);
  if (!answer) {
    return null;
  }
  const { hosts, more_hosts } = answer;
  const cards = hosts.reduce((sum, host) => sum + host.cards, 0);
  const hasMany = cards > PAGE || more_hosts > 0;
  return hasMany || typed ? (
    <input
      type="search"
      className="jp-GpuHeadroom-filter"
      aria-label={trans.__('Find hosts, GPUs and workers by name')}
      placeholder={trans.__('Find by name')}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        workers.look({ filter: value });
      }}
    />
  ) : null;
}

/** What is behind the cards that are shown, and before them. */
export function Pages({
  trans,
  workers
}: IWorkersProps): React.JSX.Element | null {
  const { answer, question } = workers;
  const { filter, offset } = question;
  if (!answer) {
    return null;
  }
  const { cards, more_cards, more_hosts } = answer;
  const isClosed = workers.hosts.length > 0 && !question.host && !filter;
  const turn = (to: number) => () => {
    workers.look({ offset: to });
  };
  return (
    <>
      {filter && cards.length === 0 && (
        <Hint icon="info" isSpoken>
          {trans.__('Nothing is called so.')}
        </Hint>
      )}
      {!filter && more_hosts > 0 && (
        <Hint icon="info">
          {trans._n(
            'There is %1 more host, less full than these.',
            'There are %1 more hosts, less full than these.',
            more_hosts
          )}
        </Hint>
      )}
      {!isClosed && offset + more_cards > 0 && (
        <div className="jp-GpuHeadroom-actions">
          {offset > 0 && (
            <Button
              label={trans.__('%1 fuller', offset)}
              focusKey="before"
              onPress={turn(Math.max(0, offset - PAGE))}
            />
          )}
          {more_cards > 0 && (
            <Button
              label={trans.__('%1 more', more_cards)}
              focusKey="behind"
              onPress={turn(offset + cards.length)}
            />
          )}
        </div>
      )}
    </>
  );
}
