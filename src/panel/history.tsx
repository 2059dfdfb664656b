import * as React from 'react';

import { Findings } from '../timeline/findings';
import type { IDevice } from '../protocol';
import { Timeline } from '../timeline/view';
import type { IPanelProps } from './model';

/** Of the chart, and what the lines around it need of a height set by hand. */
const HEIGHT_PX = 96;
const AROUND_PX = 60;

/**
 * The session as the GPU that was picked has seen it, and where its memory goes; or as
 * the fullest card of the workers has.
 */
export function History({ model }: IPanelProps): React.JSX.Element | null {
  const { current, device, isOfWorkers, layout, recorded, trans } = model;
  const [place, width] = useWidth();
  const height = layout.heightOf('History');
  const shown = isOfWorkers && recorded ? recorded.device : device;
  return (
    <div ref={place}>
      {current && shown && width > 0 && (
        <>
          <Timeline
            state={
              isOfWorkers && recorded
                ? { ...current.state, history: recorded.history }
                : current.state
            }
            device={shown}
            isNamed={false}
            subject={
              device && recorded && <Subject device={device} model={model} />
            }
            width={width}
            height={Math.max(HEIGHT_PX, (height ?? 0) - AROUND_PX)}
            trans={trans}
          />
          {!isOfWorkers && (
            <Findings state={current.state} device={shown} trans={trans} />
          )}
        </>
      )}
    </div>
  );
}

/** Whose memory is shown, which can be chosen. */
function Subject({
  device,
  model
}: IPanelProps & { device: IDevice }): React.JSX.Element {
  const { isOfWorkers, trans } = model;
  return (
    <select
      className="jp-GpuHeadroom-span"
      aria-label={trans.__('GPU shown')}
      value={String(isOfWorkers)}
      onChange={({ target: { value } }) => {
        model.isOfWorkers = value === 'true';
      }}
    >
      <option value="false">{trans.__('GPU %1', device.index)}</option>
      <option value="true">{trans.__('Fullest worker')}</option>
    </select>
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
