import {
  type ComponentChild,
  createElement,
  type FunctionComponent
} from 'preact';

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
import { reportIn, IN_CELLS } from '../../__tests__/reportin';
import type { IReport } from '../../protocol';
import type { Report } from '../../report/report';
import type { IReportState } from '../../report/state';
import { draw } from '../view';

/** Reports and states that together show every part of a report. */
const REPORTS: [string, Partial<IReport>, IReportState][] = [
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
  ['a measurement that continues', { cause: null, looking: true }, CONFIRMED],
  ['a release', {}, { ...CONFIRMED, released: RELEASED }]
];

/** The report as the script of an output renders it. */
function reportOfOutput(): FunctionComponent<Parameters<typeof Report>[0]> {
  let found: unknown = null;
  jest.isolateModules(() => {
    jest.doMock('react', () => jest.requireActual<object>('preact'));
    found = jest.requireActual<object>('../../report/report');
    jest.dontMock('react');
  });
  return (found as { Report: FunctionComponent<Parameters<typeof Report>[0]> })
    .Report;
}

describe('draw', () => {
  let host: HTMLElement;

  beforeEach(() => {
    host = document.createElement('div');
    host.textContent = 'as it was saved';
    document.body.replaceChildren(host);
  });

  it.each(REPORTS)('should draw %s as React does', (_, changes, state) => {
    const component = reportOfOutput();
    draw(
      createElement(component, {
        ...WORDS,
        report: { ...REPORT, ...changes },
        state,
        offers: IN_CELLS,
        onAction: () => undefined,
        titleId: 'title',
        opened: new Set<string>()
      }),
      host
    );
    const other = document.createElement('div');
    reportIn(other)({ ...REPORT, ...changes }, state);
    expect(host.innerHTML).toBe(other.innerHTML);
  });

  it('should keep the focus, else move it to the replacement', () => {
    const show = (isOther: boolean): void => {
      const button = (key: string): ComponentChild =>
        createElement('button', { key, 'data-focus-key': key });
      const same = button('same');
      draw(
        [
          button('first'),
          isOther ? createElement('p', null, same) : same,
          !isOther && button('gone')
        ],
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
});
