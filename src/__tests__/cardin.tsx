import * as React from 'react';

import { Card } from '../card/card';
import type { ICardState, OnAction } from '../card/state';
import { Drawing } from '../lab/drawing';
import type { IReport } from '../protocol';
import { Registry } from '../registry';
import { Offers } from '../report/offers';
import type { IWords } from '../text/messages';
import { WORDS } from './report';

/** The offers of a report without wings. */
export const IN_CELLS = new Offers(new Registry());

const drawings: Drawing[] = [];

// An opened fold emits its event one turn of the event loop later, when no listener is
// left.
afterEach(() => {
  drawings.splice(0).forEach(drawing => {
    drawing.dispose();
  });
});

/**
 * Return a function that renders a report in an element as JupyterLab does, during a
 * test.
 */
export function cardIn(
  host: HTMLElement,
  onAction: OnAction = () => undefined,
  words: IWords = WORDS,
  offers: Offers = IN_CELLS
): (report: IReport, state: ICardState) => void {
  const drawing = new Drawing(host);
  drawings.push(drawing);
  const opened = new Set<string>();
  return (report, state) => {
    drawing.draw(
      <Card
        {...words}
        report={report}
        state={state}
        offers={offers}
        onAction={onAction}
        titleId="title"
        opened={opened}
      />
    );
  };
}
