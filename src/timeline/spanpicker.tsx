import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { AUTOMATIC, type IView, SPANS_S } from '../memory/axis';
import type { ITimeline } from '../memory/timeline';
import { nameAgo, nameSpan } from '../memory/timelinewords';

interface IPickerProps {
  timeline: ITimeline;
  view: IView;
  onView: (view: IView) => void;
  trans: TranslationBundle;
}

/** What stands for a view that is none of the spans until now. */
const EARLIER = 'earlier';
const AUTOMATICALLY = 'automatic';

/**
 * How much of the session is shown, which can be chosen.
 */
export function SpanPicker(props: IPickerProps): React.JSX.Element {
  const { timeline, view, onView, trans } = props;
  const { axis, now_s } = timeline;
  const isEarlier = view.end_s !== null && axis.end_s < now_s;
  return (
    <select
      className="jp-GpuHeadroom-span"
      aria-label={trans.__('Time shown')}
      value={isEarlier ? EARLIER : axis.span_s}
      onChange={({ target: { value } }) => {
        onView(
          value === AUTOMATICALLY
            ? AUTOMATIC
            : { span_s: Number(value), end_s: null }
        );
      }}
    >
      {isEarlier && (
        <option value={EARLIER}>
          {trans.__(
            '%1 to %2',
            nameAgo(now_s - axis.start_s, trans),
            nameAgo(now_s - axis.end_s, trans)
          )}
        </option>
      )}
      {SPANS_S.map(span_s => (
        <option key={span_s} value={span_s}>
          {nameSpan(span_s, trans)}
        </option>
      ))}
      {view !== AUTOMATIC && (
        <option value={AUTOMATICALLY}>
          {trans.__('As the session grows')}
        </option>
      )}
    </select>
  );
}
