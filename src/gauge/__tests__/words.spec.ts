import { nullTranslator } from '@jupyterlab/translation';

import { gib } from '../../__tests__/report';
import { DEVICE, deviceWith } from '../../__tests__/samples';
import type { Reading } from '../reading';
import { describe as describeReading, textOf, wordOf } from '../words';

const trans = nullTranslator.load('gpu-headroom');

const OK: Reading = { kind: 'ok', device: DEVICE, count: 1 };
const SIMULATED = { ...DEVICE, name: 'Simulated GPU', simulated: true };

describe('the words of the gauge', () => {
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
    [{ kind: 'idle', isLoaded: false }, 'GPU idle — not initialised', ''],
    [{ kind: 'none' }, 'No GPU', ''],
    [{ kind: 'disconnected' }, 'GPU — not connected', ''],
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

  it('should not speak of nvidia-smi where it shows the same or nothing', () => {
    const same = { ...DEVICE, cached_bytes: 0, used_bytes: gib(7.4) };
    for (const device of [same, SIMULATED]) {
      expect(describeReading({ ...OK, device }, trans)).not.toMatch(/nvidia/);
    }
  });

  it('should say what is not measured', () => {
    const device = { ...DEVICE, used_bytes: null, headroom_bytes: null };
    expect(describeReading({ ...OK, device }, trans)).toBe(
      'GPU 0, Tesla T4: 5.3 GiB in use, the rest is not measured.'
    );
  });

  it('should call a simulated card simulated', () => {
    expect(describeReading({ ...OK, device: SIMULATED }, trans)).toMatch(
      /^Simulated GPU 0: /
    );
  });
});
