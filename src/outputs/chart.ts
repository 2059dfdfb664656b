import { element } from '../components/dom/element';
import {
  areaOf,
  fitLabels,
  type IScale,
  scaleOf,
  stretches
} from '../memory/scale';
import { type ITimeline, usedAt } from '../memory/timeline';
import { describePeak } from '../memory/timelinewords';
import type { ICell, IHistoryPoint } from '../protocol';
import { formatBytes } from '../text/format';
import { trans } from './translation';

const SVG = 'http://www.w3.org/2000/svg';

const HEIGHT_PX = 104;

/** Below these there is no room for a line of its own. */
const PEAK_ROOM_PX = 12;
const LABEL_ROOM_PX = 40;

/** Outputs of one cell share their document, and what an id names in it. */
const HATCH = `gpu-headroom-hatch-${Math.random().toString(36).slice(2)}`;

/** The last five minutes of a device as stacked areas, in the order of the bar. */
export function chart(past: ITimeline, width: number): HTMLElement {
  // Nothing is drawn beyond now.
  const timeline = { ...past, full_in_s: null };
  const scale = scaleOf(timeline, width, HEIGHT_PX);
  const picture = draw(
    'svg',
    {
      class: 'jp-GpuHeadroom-plot',
      'aria-hidden': 'true',
      width,
      height: HEIGHT_PX,
      viewBox: `0 0 ${width} ${HEIGHT_PX}`
    },
    hatch(),
    ...timeline.runs.map(run => runOf(run, timeline, scale)),
    ...areas(timeline, scale),
    ...frame(timeline, scale),
    ...peak(timeline, scale),
    ...labels(timeline, scale)
  );
  const node = element('div', 'jp-GpuHeadroomLive-chart');
  node.append(picture);
  const spoken = timeline.peak
    ? describePeak(timeline.peak, trans)
    : trans.__('No readings in the last five minutes.');
  node.setAttribute('role', 'img');
  node.setAttribute(
    'aria-label',
    trans.__('The last five minutes: %1', spoken)
  );
  return node;
}

function draw(
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly (Node | string)[]
): SVGElement {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

function line(
  kind: string,
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number]
): SVGElement {
  return draw('line', { class: `jp-mod-${kind}`, x1, y1, x2, y2 });
}

function label(text: string, x: number, y: number, anchor = 'start'): Node {
  return draw('text', { x, y, 'text-anchor': anchor }, text);
}

function hatch(): SVGElement {
  return draw(
    'pattern',
    {
      id: HATCH,
      width: 5,
      height: 5,
      patternUnits: 'userSpaceOnUse',
      patternTransform: 'rotate(45)'
    },
    line('hatch', [0, 0], [0, 5])
  );
}

function runOf(
  { start_s, end_s }: ICell,
  { now_s }: ITimeline,
  { x, top, base }: IScale
): SVGElement {
  const left = x(start_s);
  const width = Math.max(1, x(end_s ?? now_s) - left);
  return draw('rect', {
    class: 'jp-mod-cell',
    x: left.toFixed(1),
    y: top,
    width: width.toFixed(1),
    height: base - top
  });
}

function areas(timeline: ITimeline, scale: IScale): SVGElement[] {
  const outside = ({ outside_bytes }: IHistoryPoint): number =>
    outside_bytes ?? 0;
  const cached = (point: IHistoryPoint): number =>
    usedAt(point) + point.cached_bytes;
  return stretches(timeline).flatMap(points => [
    draw('path', {
      class: 'jp-mod-outside',
      d: areaOf(points, scale, () => 0, outside)
    }),
    draw('path', {
      class: 'jp-mod-tensors',
      d: areaOf(points, scale, outside, usedAt)
    }),
    draw('path', {
      fill: `url(#${HATCH})`,
      d: areaOf(points, scale, usedAt, cached)
    })
  ]);
}

function frame({ device }: ITimeline, scale: IScale): Node[] {
  const { width, height, top, base } = scale;
  const { capacity_bytes: capacity } = device;
  return [
    line('edge', [0, base], [width, base]),
    ...(capacity
      ? [
          line('total', [0, top], [width, top]),
          label(formatBytes(capacity), 0, top - 4)
        ]
      : []),
    label(trans.__('−5 min'), 0, height - 3),
    label(trans.__('now'), width, height - 3, 'end')
  ];
}

function peak({ peak: highest }: ITimeline, scale: IScale): Node[] {
  if (highest === null) {
    return [];
  }
  const y = scale.y(highest.bytes);
  const hasRoom = y - scale.top > PEAK_ROOM_PX;
  return [
    line('peak', [0, y], [scale.width, y]),
    label(describePeak(highest, trans), 4, hasRoom ? y - 4 : y + 11)
  ];
}

/** The numbers of the cells, below where they ran. */
function labels({ runs, now_s }: ITimeline, scale: IScale): Node[] {
  const spans = runs.map(
    ({ execution_count, start_s, end_s }) =>
      [
        `[${execution_count ?? ' '}]`,
        scale.x(start_s),
        scale.x(end_s ?? now_s)
      ] as const
  );
  const to = scale.width - LABEL_ROOM_PX;
  return fitLabels(spans, LABEL_ROOM_PX, to).map(({ text, x }) =>
    label(text, x, scale.height - 3)
  );
}
