import * as React from 'react';

import { PATHS } from './dom/icon';

/** Outlines that only the gauge needs, on a grid of 16; drawn over each other. */
const GAUGE_PATHS = {
  arrow: ['M1 7.2h10.4L8.3 4.1l1-1L14.2 8l-4.9 4.9-1-1 3.1-3.1H1z'],
  chip: [
    'M4.5 2A1.5 1.5 0 0 0 3 3.5v9A1.5 1.5 0 0 0 4.5 14h7a1.5 1.5 0 0 0 1.5-1.5v-9A1.5 1.5 0 0 0 11.5 2zm0 1.5h7v9h-7z',
    'M5.75 8.25h4.5v3h-4.5zM.75 4.25H2v1.5H.75zm0 3H2v1.5H.75zm0 3H2v1.5H.75zM14 4.25h1.25v1.5H14zm0 3h1.25v1.5H14zm0 3h1.25v1.5H14z'
  ],
  struckChip: [
    'M4.5 2A1.5 1.5 0 0 0 3 3.5v9A1.5 1.5 0 0 0 4.5 14h7a1.5 1.5 0 0 0 1.5-1.5v-9A1.5 1.5 0 0 0 11.5 2zm0 1.5h7v9h-7z',
    'M.75 4.25H2v1.5H.75zm0 3H2v1.5H.75zm0 3H2v1.5H.75zM14 4.25h1.25v1.5H14zm0 3h1.25v1.5H14zm0 3h1.25v1.5H14z',
    'M2.2 1.2 14.8 13.8l-1 1L1.2 2.2z'
  ],
  struckPlug: [
    'M5 1h1.5v3.5h3V1H11v3.5h1.2v3a4.2 4.2 0 0 1-3.45 4.1V15h-1.5v-3.4A4.2 4.2 0 0 1 3.8 7.5v-3H5z',
    'M1.9 1.1 15 14.2l-1 1L.9 2.1z'
  ]
} as const;

export type IconName = keyof typeof PATHS | keyof typeof GAUGE_PATHS;

const isOverlaid = (name: IconName): name is keyof typeof GAUGE_PATHS =>
  name in GAUGE_PATHS;

/**
 * A state icon, hidden from screen readers: a word or number always goes with it.
 */
export function Icon({ name }: { name: IconName }): React.JSX.Element {
  const paths = isOverlaid(name) ? GAUGE_PATHS[name] : [PATHS[name].join('')];
  return (
    <svg
      aria-hidden="true"
      className={`jp-GpuHeadroom-icon jp-mod-${name}`}
      viewBox="0 0 16 16"
    >
      {paths.map(path => (
        <path key={path} fillRule="evenodd" d={path} />
      ))}
    </svg>
  );
}
