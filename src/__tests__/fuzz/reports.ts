import { type IReleased, type IReport, parseReport } from '../../protocol';
import type { IReportState, Trust } from '../../report/state';
import { CONFIRMED } from '../report';
import type { Maker } from './maker';

/** A report as a received notebook may contain it; `null`: it is not a report. */
export function savedReport(make: Maker): IReport | null {
  const whole = make.valid('report');
  const found = parseReport(make.happens(0.7) ? make.spoilt(whole) : whole);
  return found && 'parts' in found ? found : null;
}

/** A possible state of a live report, including ids of any form. */
export function stateFrom(make: Maker, trust: Trust): IReportState {
  return {
    ...CONFIRMED,
    trust,
    editable: make.happens(0.5),
    released: make.happens(0.5)
      ? (make.valid('released') as unknown as IReleased)
      : null
  };
}
