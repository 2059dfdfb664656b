/**
 * State icons. They differ in outline, not only in colour.
 */
const SVG = 'http://www.w3.org/2000/svg';

/** Outline, and what is cut out of it, on a grid of 16. */
export const PATHS = {
  octagon: [
    'M4.9 1h6.2L15 4.9v6.2L11.1 15H4.9L1 11.1V4.9z',
    'M7.2 4h1.6v5.2H7.2zM7.2 10.5h1.6v1.6H7.2z'
  ],
  check: [
    'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1z',
    'M6.9 11.4 3.9 8.4l1.1-1.1 1.9 1.9 4.1-4.2 1.1 1.1z'
  ],
  triangle: [
    'M8 1.2a1 1 0 0 1 .87.5l6.3 11.1a1 1 0 0 1-.87 1.5H1.7a1 1 0 0 1-.87-1.5L7.13 1.7A1 1 0 0 1 8 1.2z',
    'M7.2 5.6h1.6v4.2H7.2zM7.2 10.9h1.6v1.6H7.2z'
  ],
  clock: [
    'M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2z',
    'M8 2.7a5.3 5.3 0 1 1 0 10.6A5.3 5.3 0 0 1 8 2.7zm-.7 1.7v4.1l3.2 1.9.7-1.2-2.5-1.5V4.4z'
  ],
  info: [
    'M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2z',
    'M8 2.5a5.5 5.5 0 1 1 0 11A5.5 5.5 0 0 1 8 2.5zM7.3 7h1.4v4.4H7.3zM7.3 4.6h1.4V6H7.3z'
  ],
  flask: [
    'M5 1h6v1.5h-.75v3.6l4 6.7A1.5 1.5 0 0 1 13 15H3a1.5 1.5 0 0 1-1.3-2.2l4-6.7V2.5H5z',
    'M7.2 2.5v4L5.4 9.6h5.2L8.8 6.5v-4z'
  ]
} as const;

export type IconName = keyof typeof PATHS;

/**
 * An icon hidden from screen readers: a word always goes with it.
 */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', `jp-GpuHeadroom-icon jp-mod-${name}`);
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('fill-rule', 'evenodd');
  path.setAttribute('d', PATHS[name].join(''));
  svg.append(path);
  return svg;
}
