import * as React from 'react';

import { Drawing } from '../lab/drawing';
import type { IReport } from '../protocol';
import { Registry } from '../registry';
import { Offers } from '../renderer/offers';
import { Report } from '../report/report';
import type { IReportState, OnAction } from '../report/state';
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
export function reportIn(
  host: HTMLElement,
  onAction: OnAction = () => undefined,
  words: IWords = WORDS,
  offers: Offers = IN_CELLS
): (report: IReport, state: IReportState) => void {
  const drawing = new Drawing(host);
  drawings.push(drawing);
  const opened = new Set<string>();
  return (report, state) => {
    drawing.draw(
      <Report
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
