import * as React from 'react';

/** The case of the chip, which two icons start with. */
const CHIP =
  'M4.5 2A1.5 1.5 0 0 0 3 3.5v9A1.5 1.5 0 0 0 4.5 14h7a1.5 1.5 0 0 0 1.5-1.5v-9A1.5 1.5 0 0 0 11.5 2zm0 1.5h7v9h-7z';

/** The feet of the chip. */
const FEET =
  'M.75 4.25H2v1.5H.75zm0 3H2v1.5H.75zm0 3H2v1.5H.75zM14 4.25h1.25v1.5H14zm0 3h1.25v1.5H14zm0 3h1.25v1.5H14z';

/** Outlines on a grid of 16, drawn over each other; they differ not only in color. */
const PATHS = {
  arrow: ['M1 7.2h10.4L8.3 4.1l1-1L14.2 8l-4.9 4.9-1-1 3.1-3.1H1z'],
  check: [
    'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zM6.9 11.4 3.9 8.4l1.1-1.1 1.9 1.9 4.1-4.2 1.1 1.1z'
  ],
  chip: [CHIP, `M5.75 8.25h4.5v3h-4.5z${FEET}`],
  clock: [
    'M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2zM8 2.7a5.3 5.3 0 1 1 0 10.6A5.3 5.3 0 0 1 8 2.7zm-.7 1.7v4.1l3.2 1.9.7-1.2-2.5-1.5V4.4z'
  ],
  flask: [
    'M5 1h6v1.5h-.75v3.6l4 6.7A1.5 1.5 0 0 1 13 15H3a1.5 1.5 0 0 1-1.3-2.2l4-6.7V2.5H5zM7.2 2.5v4L5.4 9.6h5.2L8.8 6.5v-4z'
  ],
  info: [
    'M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2zM8 2.5a5.5 5.5 0 1 1 0 11A5.5 5.5 0 0 1 8 2.5zM7.3 7h1.4v4.4H7.3zM7.3 4.6h1.4V6H7.3z'
  ],
  octagon: [
    'M4.9 1h6.2L15 4.9v6.2L11.1 15H4.9L1 11.1V4.9zM7.2 4h1.6v5.2H7.2zM7.2 10.5h1.6v1.6H7.2z'
  ],
  struckChip: [CHIP, FEET, 'M2.2 1.2 14.8 13.8l-1 1L1.2 2.2z'],
  struckPlug: [
    'M5 1h1.5v3.5h3V1H11v3.5h1.2v3a4.2 4.2 0 0 1-3.45 4.1V15h-1.5v-3.4A4.2 4.2 0 0 1 3.8 7.5v-3H5z',
    'M1.9 1.1 15 14.2l-1 1L.9 2.1z'
  ],
  triangle: [
    'M8 1.2a1 1 0 0 1 .87.5l6.3 11.1a1 1 0 0 1-.87 1.5H1.7a1 1 0 0 1-.87-1.5L7.13 1.7A1 1 0 0 1 8 1.2zM7.2 5.6h1.6v4.2H7.2zM7.2 10.9h1.6v1.6H7.2z'
  ]
} as const;

export type IconName = keyof typeof PATHS;

/** The outlines of an icon, within a picture. */
export function Outline({ name }: { name: IconName }): React.JSX.Element {
  return (
    <>
      {PATHS[name].map(path => (
        <path key={path} style={{ fillRule: 'evenodd' }} d={path} />
      ))}
    </>
  );
}

/**
 * A state icon, hidden from screen readers: a word or number always goes with it.
 */
export function Icon({ name }: { name: IconName }): React.JSX.Element {
  return (
    <svg
      aria-hidden="true"
      className={`jp-GpuHeadroom-icon jp-mod-${name}`}
      viewBox="0 0 16 16"
    >
      <Outline name={name} />
    </svg>
  );
}
