import * as React from 'react';

import { Bar, kindClass } from '../components/bar';
import { formatBytes, formatGib } from '../text/format';
import {
  type IPart,
  type ISegment,
  listParts,
  named,
  shown
} from '../text/parts';
import type { ITranslate } from '../text/translate';

interface ICompositionProps {
  parts: readonly IPart[];
  /** When memory was used in this way, in words. */
  moment: string;
  trans: ITranslate;
}

/** Not translated. */
const UNIT = 'GiB';

/** A bar of what memory was used for at one moment. */
export function PartsBar(
  props: ICompositionProps & { size: 'wide' | 'tall' }
): React.JSX.Element {
  const { parts, moment, size, trans } = props;
  const segments = named(parts, trans);
  const visible = shown(segments);
  return (
    <Bar
      parts={visible}
      total={visible.reduce((sum, { bytes }) => sum + bytes, 0)}
      label={`${moment}: ${listParts(segments)}`}
      size={size}
      inscribe={size === 'tall' ? inscribe : undefined}
    />
  );
}

/** Name and size of a part, each where there is room. */
function inscribe({ name, bytes }: ISegment): React.JSX.Element {
  return (
    <>
      <span className="jp-GpuHeadroom-segmentName">{`${name} `}</span>
      <span className="jp-GpuHeadroom-segmentSize">{formatGib(bytes)}</span>
    </>
  );
}

/** A large bar of what memory was used for, with all numbers below. */
export function Composition(
  props: ICompositionProps
): React.JSX.Element | null {
  const { parts, trans } = props;
  return parts.length === 0 ? null : (
    <>
      <PartsBar {...props} size="tall" />
      <Legend parts={shown(named(parts, trans))} />
    </>
  );
}

/** The unit appears once if it fits all parts. */
function Legend(props: { parts: readonly ISegment[] }): React.JSX.Element {
  const { parts } = props;
  const isOneUnit = parts.every(({ bytes }) => formatGib(bytes) !== '');
  return (
    <ul className="jp-GpuHeadroomReport-legend" role="list">
      {parts.map(({ kind, name, bytes }, index) => (
        <li key={`${kind} ${index}`} className="jp-GpuHeadroomReport-legendRow">
          <span className={`jp-GpuHeadroom-swatch ${kindClass(kind)}`} />
          {name}
          <strong>{isOneUnit ? formatGib(bytes) : formatBytes(bytes)}</strong>
        </li>
      ))}
      {isOneUnit && parts.length > 0 && (
        <li className="jp-GpuHeadroomReport-legendUnit">{UNIT}</li>
      )}
    </ul>
  );
}
