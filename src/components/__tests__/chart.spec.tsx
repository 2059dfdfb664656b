import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { gib } from '../../__tests__/report';
import { DEVICE, historyOf, POINT } from '../../__tests__/samples';
import { Drawing } from '../../lab/drawing';
import { widened } from '../../memory/history';
import { INITIAL_STATE } from '../../memory/model';
import { timelineOf } from '../../memory/timeline';
import { Chart } from '../chart';

const NOW_S = 1000;

/** The heights of a path's corners, in pixels from the bottom. */
function heights(path: Element | null): number[] {
  const corners = path?.getAttribute('d')?.match(/,[\d.]+/g) ?? [];
  return corners.map(corner => 100 - Number(corner.slice(1)));
}

describe('Chart', () => {
  it('should draw the highest use of an interval, paler above the lowest', () => {
    const device = { ...DEVICE, capacity_bytes: gib(10), outside_bytes: 0 };
    const history = historyOf(
      ...[1, 8, 3].map((used, second) => ({
        ...POINT,
        time_s: 992 + second,
        in_use_bytes: gib(used),
        cached_bytes: 0,
        outside_bytes: 0
      }))
    );
    const timeline = timelineOf(
      { ...INITIAL_STATE, phase: 'live', history },
      device,
      NOW_S
    );
    const points = widened(history[device.index] ?? [], 4);
    const host = document.createElement('div');
    const drawing = new Drawing(host);
    drawing.draw(
      <Chart
        timeline={{ ...timeline, points }}
        id="hatch"
        width={200}
        height={100}
        trans={nullTranslator.load('gpu-headroom')}
      />
    );
    const swing = heights(host.querySelector('.jp-mod-swing'));
    const tensors = heights(host.querySelector('.jp-mod-tensors'));
    const ground = Math.min(...tensors);
    const [least, highest] = [Math.min(...swing), Math.max(...swing)];
    expect(Math.max(...tensors)).toBe(least);
    expect((highest - ground) / (least - ground)).toBeCloseTo(8, 0);
    drawing.dispose();
  });
});
