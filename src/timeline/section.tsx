import * as React from 'react';

import type { IPanelProps, IPanelSection } from '../panel/model';
import { Findings } from './findings';
import { Timeline } from './view';

import '../../style/timeline.css';

/** Height of the chart. */
const HEIGHT_PX = 96;

/** The session on the selected GPU. */
export const TIMELINE: IPanelSection = {
  id: 'timeline',
  rank: 40,
  failedRank: 55,
  // A chart is not cut.
  minHeight: Infinity,
  label: trans => trans.__('Timeline'),
  total: ({ device, trans }) =>
    device ? trans.__('GPU %1', device.index) : '',
  Body: History
};

/** The chart, with its findings below. */
function History({ model }: IPanelProps): React.JSX.Element {
  const { current, device, trans } = model;
  const [place, width] = useWidth();
  return (
    <div ref={place}>
      {current && device && width > 0 && (
        <>
          <Timeline
            state={current.state}
            device={device}
            width={width}
            height={HEIGHT_PX}
            trans={trans}
          />
          <Findings state={current.state} device={device} trans={trans} />
        </>
      )}
    </div>
  );
}

/** The width of an element, in whole pixels. */
function useWidth(): [place: React.RefObject<HTMLDivElement>, width: number] {
  const place = React.useRef<HTMLDivElement>(null);
  const [width, setWidth] = React.useState(0);
  React.useLayoutEffect(() => {
    const node = place.current;
    if (!node) {
      return;
    }
    const observer = new ResizeObserver(() => {
      setWidth(node.clientWidth);
    });
    observer.observe(node);
    setWidth(node.clientWidth);
    return () => {
      observer.disconnect();
    };
  }, []);
  return [place, width];
}
