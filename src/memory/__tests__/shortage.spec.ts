import { nullTranslator } from '@jupyterlab/translation';

import { EVENTS, ranCell as cell } from '../../__tests__/samples';
import type { ICell, ISample } from '../../protocol';
import { GIB } from '../../text/format';
import { shortageAtStart, shortageOf } from '../shortage';
import { describeShortage } from '../shortagewords';

const trans = nullTranslator.load('gpu-headroom');

function sample(headroom_bytes: number | null): ISample {
  const [device] = EVENTS.sample.devices;
  return {
    ...EVENTS.sample,
    devices: device ? [{ ...device, index: 0, headroom_bytes }] : []
  };
}

describe('shortageOf', () => {
  it('should warn if the last run needed more than there is', () => {
    const found = shortageOf([cell({})], sample(GIB));
    expect(found && describeShortage(found, null, trans)).toBe(
      'a cell needed 3.00 GiB last time, and 1.00 GiB were free when it started.'
    );
  });

  it('should give the bounds of the need', () => {
    const run = cell({}, { peak_at_most_bytes: 8.6 * GIB });
    const found = shortageOf([run], sample(GIB));
    expect(found && describeShortage(found, null, trans)).toContain(
      'needed 3.0–3.5 GiB '
    );
  });

  it.each<[string, ICell]>([
    ['the need was sampled', cell({}, { peak_at_most_bytes: null })],
    ['the run failed for want of more', cell({ status: 'oom' })]
  ])('should show "at least" if %s', (_, run) => {
    const found = shortageOf([run], sample(GIB));
    expect(found && describeShortage(found, null, trans)).toContain(
      'needed at least 3.00 GiB'
    );
  });

  it.each<[string, ICell, number | null]>([
    ['it fits', cell({}), 4 * GIB],
    ['it runs', cell({ status: 'running' }), GIB],
    ['it failed for another reason', cell({ status: 'error' }), GIB],
    ['the headroom is not known', cell({}), null],
    ['the need is not known', cell({}, { needed_bytes: null }), GIB]
  ])('should show nothing when %s', (_, run, headroom) => {
    expect(shortageOf([run], sample(headroom))).toBeNull();
  });
});

describe('shortageAtStart', () => {
  const start = cell({ status: 'running', start_s: 9, execution_count: 12 });

  it('should report what a starting cell lacks', () => {
    const runs = [cell({ start_s: 1 }), cell({ start_s: 2, cell_id: 'b' })];
    const found = shortageAtStart(start, runs, sample(GIB));
    expect(found && describeShortage(found, start, trans)).toBe(
      'In [12] needed 3.00 GiB last time, and 1.00 GiB were free when it started.'
    );
  });

  it.each<[string, ICell]>([
    ['its last run failed', cell({ start_s: 1, status: 'oom' })],
    ['it has other code now', cell({ start_s: 1, source_crc32: 1 })],
    ['another cell needed it', cell({ start_s: 1, cell_id: 'b' })],
    ['it ran later', cell({ start_s: 10 })]
  ])('should show nothing if %s', (_, run) => {
    expect(shortageAtStart(start, [run], sample(GIB))).toBeNull();
  });
});
