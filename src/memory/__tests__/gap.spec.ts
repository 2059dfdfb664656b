import { nullTranslator } from '@jupyterlab/translation';

import { message } from '../../__tests__/report';
import { DEVICE, EVENTS } from '../../__tests__/samples';
import { gapOf, type IGap } from '../gap';
import { INITIAL_STATE } from '../model';
import type { Reading } from '../reading';
import type { IMemoryState } from '../state';

const trans = nullTranslator.load('gpu-headroom');

const LIVE: IMemoryState = { ...INITIAL_STATE, phase: 'live' };
const HIDDEN: Reading = { kind: 'hidden' };

const gap = (
  reading: Reading,
  state: Partial<IMemoryState> | null = {}
): IGap | null =>
  gapOf(reading, state === null ? null : { ...LIVE, ...state }, trans);

describe('gapOf', () => {
  it('should be null if there are numbers', () => {
    expect(gap({ kind: 'ok', device: DEVICE, count: 1 })).toBeNull();
  });

  it.each<[string, Reading, Partial<IMemoryState> | null, RegExp]>([
    ['absent', HIDDEN, null, /Open a notebook/],
    ['absent', HIDDEN, { phase: 'absent' }, /Open a notebook/],
    ['connecting', HIDDEN, { phase: 'starting' }, /first answer/],
    ['connecting', HIDDEN, {}, /first answer/],
    ['disconnected', { kind: 'disconnected', death: null }, {}, /If it died/],
    [
      'disconnected',
      {
        kind: 'disconnected',
        death: { device: null, host: null, age_ms: null, isKilled: false }
      },
      {},
      /The kernel died.* Its GPU memory is free\./
    ],
    ['off', { kind: 'off' }, {}, /changes no variable/],
    ['off', HIDDEN, { phase: 'off' }, /not running in this kernel\.$/],
    ['problem', { kind: 'problem', problem: 'Too old.' }, {}, /^Too old\.$/],
    [
      'stopped',
      { kind: 'stopped', why: message('Restart it.') },
      {},
      /Restart/
    ],
    ['none', { kind: 'none' }, {}, /^This kernel sees no GPU\.$/],
    [
      'none',
      { kind: 'none' },
      { hello: { ...EVENTS.hello, installed: true } },
      /`gpu_headroom\.simulate\(\)`/
    ],
    [
      'idle',
      { kind: 'idle', isLoaded: true, gpu: null, count: 0 },
      {},
      /has not used the GPU yet\. The numbers appear/
    ]
  ])('should explain why: %s (%#)', (kind, reading, state, text) => {
    expect(gap(reading, state)).toMatchObject({
      kind,
      text: expect.stringMatching(text) as string
    });
  });

  it.each<[string | null, Reading, Partial<IMemoryState>]>([
    ['Start', { kind: 'off' }, {}],
    [null, HIDDEN, { phase: 'off' }],
    ['Try again', { kind: 'problem', problem: '' }, { phase: 'failed' }],
    [null, { kind: 'problem', problem: '' }, { phase: 'foreign' }]
  ])('should offer to start the helper if that helps: %s', (start, ...of) => {
    expect(gap(...of)?.start).toBe(start);
  });
});
