import * as React from 'react';

import { Findings } from '../timeline/findings';
import type { IDevice } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { Timeline } from '../timeline/view';
import type { IPanelProps, IPanelSection, PanelModel } from './model';
import type { IRecorded } from './section';

/** Height of the chart. */
const HEIGHT_PX = 96;

/** The session as the GPU that is shown, or the fullest one of the workers, saw it. */
export const TIMELINE: IPanelSection = {
  id: 'timeline',
  rank: 40,
  failedRank: 55,
  // A chart is not cut.
  minHeight: Infinity,
  label: trans => trans.__('Timeline'),
  total: model => {
    const { device, trans } = model;
    if (shownOf(model)) {
      return trans.__('fullest worker');
    }
    return device ? trans.__('GPU %1', device.index) : '';
  },
  Body: History
};

/** Whether the fullest worker is shown, where a user has picked. */
const picked = new WeakMap<IKernelMemory, boolean>();

/** Readings of a device that the kernel does not have; `null`: there are none. */
function recordedIn(model: PanelModel): IRecorded | null {
  const { all } = model.sections;
  return all.flatMap(({ recorded }) => recorded?.(model) ?? [])[0] ?? null;
}

/** These, if they are shown: as picked, else where the kernel's device is not in use. */
function shownOf(model: PanelModel): IRecorded | null {
  const { current } = model;
  const isIdle = current?.state.sample?.state !== 'live';
  const isShown = (current && picked.get(current)) ?? isIdle;
  return isShown ? recordedIn(model) : null;
}

function pickWorkers(model: PanelModel, isPicked: boolean): void {
  if (model.current) {
    picked.set(model.current, isPicked);
    model.stateChanged.emit();
  }
}

/**
 * The session as the GPU that was picked has seen it, and where its memory goes; or as
 * the fullest card of the workers has.
 */
function History({ model }: IPanelProps): React.JSX.Element | null {
  const { current, device, trans } = model;
  const [place, width] = useWidth();
  const ofWorkers = shownOf(model);
  const shown = ofWorkers?.device ?? device;
  return (
    <div ref={place}>
      {current && shown && width > 0 && (
        <>
          <Timeline
            state={
              ofWorkers
                ? { ...current.state, history: ofWorkers.history }
                : current.state
            }
            device={shown}
            isNamed={false}
            subject={
              device &&
              recordedIn(model) && <Subject device={device} model={model} />
            }
            width={width}
            height={HEIGHT_PX}
            trans={trans}
          />
          {!ofWorkers && (
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
  const { trans } = model;
  return (
    <select
      className="jp-GpuHeadroom-span"
      aria-label={trans.__('GPU shown')}
      value={String(shownOf(model) !== null)}
      onChange={({ target: { value } }) => {
        pickWorkers(model, value === 'true');
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
