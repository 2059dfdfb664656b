import * as React from 'react';

import { cardIn } from '../../__tests__/cardin';
import {
  CAUSE,
  CONFIRMED,
  FREE,
  RELEASED,
  REPORT,
  SMALLER_BATCH,
  SNIPPET,
  WORDS
} from '../../__tests__/report';
import type * as cards from '../../card/card';
import type { ICardState } from '../../card/state';
import type { IReport } from '../../protocol';
import { IN_CELLS } from '../../report/offers';
import { draw } from '../view';

/** A report in a state that shows every part of a card at least once. */
const CARDS: [string, Partial<IReport>, ICardState][] = [
  ['a failure', { further_causes: [CAUSE] }, CONFIRMED],
  ['a saved one', { simulated: true }, { ...CONFIRMED, trust: 'saved' }],
  [
    'a remedy under way',
    { remedies: [FREE, SMALLER_BATCH, SNIPPET] },
    {
      ...CONFIRMED,
      remedies: { [FREE.id]: { status: 'waiting', text: '**Waits** for `x`.' } }
    }
  ],
  ['a measurement that goes on', { cause: null, looking: true }, CONFIRMED],
  ['a release', {}, { ...CONFIRMED, released: RELEASED }]
];

/** The card as the script of an output makes it. */
function cardOfOutput(): typeof cards {
  let found: typeof cards | null = null;
  jest.isolateModules(() => {
    jest.doMock('react', () => jest.requireActual<object>('../view'));
    found = jest.requireActual<typeof cards>('../../card/card');
    jest.dontMock('react');
  });
  return found as unknown as typeof cards;
}

describe('draw', () => {
  let host: HTMLElement;

  beforeEach(() => {
    host = document.createElement('div');
    document.body.replaceChildren(host);
  });

  it.each(CARDS)('should draw %s as React does', (_, changes, state) => {
    const { Card } = cardOfOutput();
    const show = (changed: Partial<IReport>, now: ICardState): void => {
      draw(
        <Card
          {...WORDS}
          report={{ ...REPORT, ...changed }}
          state={now}
          offers={IN_CELLS}
          onAction={() => undefined}
          titleId="title"
          opened={new Set()}
        />,
        host
      );
    };
    const other = document.createElement('div');
    cardIn(other)({ ...REPORT, ...changes }, state);
    show(changes, state);
    expect(host.innerHTML).toBe(other.innerHTML);
    // And in place of a card that was there before.
    show({}, CONFIRMED);
    show(changes, state);
    expect(host.firstChild?.isEqualNode(other.firstChild)).toBe(true);
  });

  it('should keep nodes at their place, whatever comes and goes beside them', () => {
    const show = (isMore: boolean): void => {
      draw(
        <div>
          {isMore && <p>more</p>}
          <p>here</p>
          {isMore ? 'text' : null}
          <input />
        </div>,
        host
      );
    };
    show(false);
    const [place, input] = [...host.querySelectorAll('p, input')];
    show(true);
    expect(host.textContent).toBe('moreheretext');
    expect(host.querySelectorAll('p')[1]).toBe(place);
    expect(host.querySelector('input')).toBe(input);
    show(false);
    expect(host.innerHTML).toBe('<div><p>here</p><input></div>');
    expect(host.querySelector('input')).toBe(input);
  });

  it('should keep nodes with their keys in another order', () => {
    const show = (...keys: string[]): void => {
      draw(
        <ul>
          {keys.map(key => (
            <li key={key}>{key}</li>
          ))}
        </ul>,
        host
      );
    };
    show('a', 'b', 'c');
    const [, second] = [...host.querySelectorAll('li')];
    show('c', 'b', 'd');
    expect(host.textContent).toBe('cbd');
    expect(host.querySelectorAll('li')[1]).toBe(second);
  });

  it('should keep the focus, else give it to what does the same', () => {
    const show = (isOther: boolean): void => {
      const button = (key: string): React.JSX.Element => (
        <button key={key} data-focus-key={key} />
      );
      draw(
        <div>
          {button('first')}
          {isOther ? <p>{button('same')}</p> : button('same')}
          {!isOther && button('gone')}
        </div>,
        host
      );
    };
    const focused = (): string | undefined =>
      (document.activeElement as HTMLElement | null)?.dataset.focusKey;
    show(false);
    host.querySelector<HTMLElement>('[data-focus-key=same]')?.focus();
    show(true);
    expect(focused()).toBe('same');
    show(false);
    host.querySelector<HTMLElement>('[data-focus-key=gone]')?.focus();
    show(true);
    expect(focused()).toBe('first');
  });

  it('should take attributes, styles and handlers away again', () => {
    const pressed = jest.fn();
    draw(
      <p
        className="a"
        style={{ width: '2px' }}
        aria-label="b"
        onClick={pressed}
      />,
      host
    );
    host.querySelector('p')?.click();
    draw(<p />, host);
    host.querySelector('p')?.click();
    expect(host.innerHTML).toBe('<p></p>');
    expect(pressed).toHaveBeenCalledTimes(1);
  });

  it('should show text as text', () => {
    draw(<p title="<b>">{'<img src=x>'}</p>, host);
    expect(host.querySelector('p')?.textContent).toBe('<img src=x>');
    expect(host.querySelector('img')).toBeNull();
  });

  it('should draw pictures as such', () => {
    draw(
      <svg>
        <path fillRule="evenodd" d="M0 0z" />
      </svg>,
      host
    );
    expect(host.querySelector('path')).toBeInstanceOf(SVGElement);
    expect(host.querySelector('path')?.getAttribute('fill-rule')).toBe(
      'evenodd'
    );
  });
});
