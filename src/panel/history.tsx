import * as React from 'react';

import { Findings } from '../timeline/findings';
import { Timeline } from '../timeline/view';
import type { IPanelProps } from './model';

/** Of the chart, and what the lines around it need of a height set by hand. */
const HEIGHT_PX = 96;
const AROUND_PX = 60;

/**
 * The session as the GPU that was picked has seen it, and where its memory goes.
 */
export function History({ model }: IPanelProps): React.JSX.Element | null {
  const { current, device, layout, trans } = model;
  const [place, width] = useWidth();
  const height = layout.heightOf('History');
  return (
    <div ref={place}>
      {current && device && width > 0 && (
        <>
          <Timeline
            state={current.state}
            device={device}
            isNamed={false}
            width={width}
            height={Math.max(HEIGHT_PX, (height ?? 0) - AROUND_PX)}
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
