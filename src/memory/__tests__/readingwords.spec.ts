import { nullTranslator } from '@jupyterlab/translation';

import { gib } from '../../__tests__/report';
import { DEVICE, deviceWith, SAMPLE, TREND } from '../../__tests__/samples';
import type { Reading } from '../reading';
import {
  describe as describeReading,
  rankOf,
  textOf,
  wordOf
} from '../readingwords';

const trans = nullTranslator.load('gpu-headroom');

const OK: Reading = { kind: 'ok', device: DEVICE, count: 1 };
const IDLE = { kind: 'idle', isLoaded: false, gpu: null, count: 0 } as const;
const FILLING = {
  kind: 'filling',
  device: deviceWith(4.9),
  count: 1,
  trend: TREND
} as const;
const SIMULATED = { ...DEVICE, name: 'Simulated GPU', simulated: true };

describe('the texts of the gauge', () => {
  it.each<[Reading, string, string]>([
    [OK, 'GPU 6.3 / 14.7 GiB', ''],
    [
      { kind: 'tight', device: deviceWith(2.1), count: 1 },
      'GPU 12.6 / 14.7 GiB',
      '2.1 left'
    ],
    [
      { kind: 'critical', device: deviceWith(0.05), count: 1 },
      'GPU 14.7 / 14.7 GiB',
      '51 MiB left'
    ],
    [
      { kind: 'stale', age_ms: 8200, device: DEVICE, count: 1 },
      'GPU 6.3 / 14.7 GiB',
      '8 s ago'
    ],
    [
      { kind: 'stale', age_ms: 125_000, device: DEVICE, count: 1 },
      'GPU 6.3 / 14.7 GiB',
      '2 min ago'
    ],
    [
      {
        kind: 'tight',
        device: { ...deviceWith(2), simulated: true },
        count: 1
      },
      'Simulated GPU 12.7 / 14.7 GiB',
      '2.0 left'
    ],
    [
      { ...OK, device: { ...DEVICE, index: 2 }, count: 4 },
      'GPU 2: 6.3 / 14.7 GiB',
      ''
    ],
    [{ ...OK, device: { ...DEVICE, capacity_bytes: null } }, 'GPU 5.3 GiB', ''],
    [FILLING, 'GPU 9.8 / 14.7 GiB', 'full in about 40 s'],
    [IDLE, 'GPU idle — not initialized', ''],
    [{ kind: 'none' }, 'No GPU', ''],
    [{ kind: 'disconnected', death: null }, 'GPU — not connected', ''],
    [{ kind: 'off' }, 'GPU off — click to start', ''],
    [{ kind: 'problem', problem: 'No.' }, 'GPU — not measured', ''],
    [{ kind: 'hidden' }, '', '']
  ])('should be right (%#)', (reading, text, word) => {
    expect(textOf(reading, trans, false)).toBe(text);
    expect(wordOf(reading, trans)).toBe(word);
  });

  it('should be short when it is compact', () => {
    expect(textOf(OK, trans, true)).toBe('6.3 / 14.7');
  });

  it('should explain what nvidia-smi shows', () => {
    expect(describeReading(OK, trans)).toBe(
      'GPU 0, Tesla T4: 6.3 of 14.7 GiB used, headroom about 8.4 GiB. nvidia-smi shows 7.4 GiB because it counts the unused cache of PyTorch (1.1 GiB) as used.'
    );
  });

  it('should not mention nvidia-smi if it shows the same or nothing', () => {
    const same = { ...DEVICE, cached_bytes: 0, used_bytes: gib(7.4) };
    for (const device of [same, SIMULATED]) {
      expect(describeReading({ ...OK, device }, trans)).not.toMatch(/nvidia/);
    }
  });

  it('should show what is not measured', () => {
    const device = { ...DEVICE, used_bytes: null, headroom_bytes: null };
    expect(describeReading({ ...OK, device }, trans)).toBe(
      'GPU 0, Tesla T4: 5.3 GiB in use, the rest is not measured.'
    );
  });

  it('should label a simulated GPU', () => {
    expect(describeReading({ ...OK, device: SIMULATED }, trans)).toMatch(
      /^Simulated GPU 0: /
    );
  });

  it('should show which of several GPUs it is', () => {
    const several: Reading = { ...OK, count: 4 };
    expect(rankOf(OK, trans)).toBe('');
    expect(rankOf(several, trans)).toBe('fullest of 4');
    expect(describeReading(several, trans)).toMatch(
      /^GPU 0, Tesla T4, fullest of 4: 6\.3 of/
    );
    expect(rankOf({ ...FILLING, count: 4 }, trans)).toBe('one of 4');
  });

  it('should show when it is full', () => {
    expect(describeReading(FILLING, trans)).toContain(
      'headroom about 4.9 GiB. At this rate it is full in about 40 s.'
    );
  });

  it('should show what other programs use of a GPU that is idle here', () => {
    const gpu = { ...DEVICE, frameworks: [], outside_bytes: gib(0.4) };
    const idle: Reading = { ...IDLE, gpu, count: 1 };
    expect(describeReading(idle, trans)).toBe(
      'This kernel has no GPU framework loaded yet. Other programs use 0.4 of 14.7 GiB.'
    );
    expect(describeReading({ ...idle, count: 2 }, trans)).toContain(
      'Other programs use 0.4 of 14.7 GiB of GPU 0, the fullest of 2.'
    );
    const empty = { ...gpu, outside_bytes: 0 };
    expect(describeReading({ ...idle, gpu: empty }, trans)).toContain(
      'All 14.7 GiB are free.'
    );
    const hidden = { ...gpu, outside_bytes: null };
    expect(describeReading({ ...idle, gpu: hidden }, trans)).toBe(
      describeReading(IDLE, trans)
    );
  });

  it('should show that the GPU shares the memory of the host', () => {
    const device = { ...DEVICE, shared_with_host: true };
    expect(textOf({ ...OK, device }, trans, false)).toBe(
      'GPU and host 6.3 / 14.7 GiB'
    );
    expect(describeReading({ ...OK, device }, trans)).toMatch(
      /headroom about 8\.4 GiB\. Shared with the host: its programs use this memory, and free is what it has available\.$/
    );
    const idle: Reading = { ...IDLE, gpu: device, count: 1 };
    expect(describeReading(idle, trans)).toBe(describeReading(IDLE, trans));
  });

  it('should show what exceeds the GPU, and no number of nvidia-smi', () => {
    const [excess] = ['More is reserved than this GPU has.'];
    const notes = [
      { id: 'note.beyond_gpu', template: excess, params: {}, text: excess }
    ];
    const device = { ...DEVICE, notes, used_bytes: gib(16) };
    expect(textOf({ ...OK, device }, trans, false)).toBe('GPU 16.0 / 14.7 GiB');
    const said = describeReading({ ...OK, device }, trans);
    expect(said).toContain('headroom about 8.4 GiB. More is reserved than');
    expect(said).not.toContain('nvidia-smi');
  });

  it('should show how a kernel died', () => {
    const death = {
      device: DEVICE,
      host: SAMPLE.host,
      age_ms: 2000,
      isKilled: false
    };
    expect(describeReading({ kind: 'disconnected', death }, trans)).toBe(
      'The kernel died. Host memory does not explain it. 2 s before, GPU memory was 6.3 of 14.7 GiB, host memory 5.8 of 15.6 GiB.'
    );
  });
});
