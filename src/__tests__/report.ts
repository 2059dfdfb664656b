import { GIB } from '../format';
import type { ICardState, IWords } from '../frame/state';
import { words as wordsOf } from '../messages';
import type { IMessage, IReleased, IRemedy, IReport } from '../protocol';
import { nullTranslator } from '@jupyterlab/translation';

/** Words in English. */
export const WORDS: IWords = wordsOf(nullTranslator.load('gpu-headroom'));

export const gib = (size: number): number => Math.round(size * GIB);

export function message(id: string, params: IMessage['params'] = {}): IMessage {
  return { id, params, text: `English of ${id}` };
}

export const FREE: IRemedy = {
  id: 'free-traceback',
  kind: 'release',
  title: message('remedy.free-traceback', { traceback_bytes: gib(12) }),
  note: message('remedy.free-traceback.note_not_enough'),
  effect_bytes: gib(12),
  effect_quality: 'measured',
  type_this: 'gpu_headroom.free_traceback()',
  diff: null
};

export const SMALLER_BATCH: IRemedy = {
  id: 'smaller-batch',
  kind: 'edit',
  title: message('remedy.smaller-batch', {
    name: 'batch_size',
    old: 1024,
    new: 512,
    line: 12
  }),
  note: message('remedy.smaller-batch.note'),
  effect_bytes: gib(4.9),
  effect_quality: 'estimated',
  type_this: null,
  diff: {
    cell_id: 'cell-7',
    execution_count: 7,
    rows: [
      { sign: '-', line: 12, text: '    batch_size = 1024' },
      { sign: '+', line: 12, text: '    batch_size = 512' }
    ]
  }
};

/** All that helps where CUDA has stopped. */
export const RESTART: IRemedy = {
  id: 'restart',
  kind: 'advice',
  title: message('remedy.restart'),
  note: message('remedy.restart.note'),
  effect_bytes: null,
  effect_quality: 'not_measured',
  type_this: null,
  diff: null
};

/** The failure of the mock-ups; its parts add up to the card's 14.74 GiB. */
export const REPORT: IReport = {
  version: '1.0',
  report_id: 'report-1',
  life_id: 'life-1',
  time_s: 1747058520,
  simulated: false,
  poisoned: false,
  framework: 'torch',
  error_name: 'OutOfMemoryError',
  cell_id: 'cell-7',
  execution_count: 7,
  line: 19,
  device_index: 0,
  device_name: 'Tesla T4',
  capacity_bytes: gib(14.74),
  requested_bytes: gib(2),
  available_bytes: gib(0.71),
  in_use_bytes: gib(12.2),
  cached_bytes: gib(1.1),
  outside_bytes: gib(0.73),
  parts: [
    { kind: 'outside', bytes: gib(0.73) },
    { kind: 'parameters', bytes: gib(0.6) },
    { kind: 'optimizer_state', bytes: gib(1.2) },
    { kind: 'gradients', bytes: gib(0.6) },
    { kind: 'activations', bytes: gib(9.8) },
    { kind: 'cached', bytes: gib(1.1) },
    { kind: 'free', bytes: gib(0.71) }
  ],
  traceback_bytes: gib(12),
  traceback_variables: [
    { name: 'model', kind: 'parameters', bytes: gib(2.4) },
    { name: 'x', kind: 'tensor', bytes: gib(0.2) }
  ],
  holders: [],
  cause: {
    rule: 'activations',
    claim: message('cause.activations', {
      activations_bytes: gib(9.8),
      in_use_bytes: gib(12.2)
    }),
    evidence: message('cause.activations.evidence_batch', {
      name: 'batch_size',
      value: 1024
    })
  },
  fits_after_free: false,
  remedies: [FREE, SMALLER_BATCH],
  details: [
    {
      label: message('detail.requested'),
      bytes: gib(2),
      source: 'error message'
    },
    {
      label: message('detail.in_use'),
      bytes: gib(12.2),
      source: 'memory_allocated()'
    },
    { label: message('detail.allowed'), bytes: null, source: 'hidden' }
  ]
};

export const RELEASED: IReleased = {
  type: 'released',
  life_id: 'life-1',
  release_id: 'release-1',
  report_id: 'report-1',
  time_s: 1747058530,
  status: 'done',
  freed_bytes: gib(12),
  returned_bytes: gib(13),
  in_use_bytes: gib(0.2),
  headroom_before_bytes: gib(1.81),
  headroom_after_bytes: gib(13.81),
  items: [
    {
      id: 'traceback',
      title: message('item.traceback'),
      freed_bytes: gib(12),
      message: null
    }
  ],
  still_held: [],
  undo: [],
  message: message('released.done', {
    freed_bytes: gib(12),
    headroom_bytes: gib(13.81)
  })
};

/** A card that the live helper vouches for, in a notebook. */
export const CONFIRMED: ICardState = {
  trust: 'confirmed',
  editable: true,
  released: null,
  runs: {},
  remedies: {}
};

/** Kinds of reports that no helper writes, with what is wrong with each. */
export const HOSTILE: [string, unknown][] = [
  ['null', null],
  ['a text', '<script>alert(1)</script>'],
  ['a list', [REPORT]],
  ['an empty object', {}],
  ['a missing key', { ...REPORT, parts: undefined }],
  ['sizes that are texts', { ...REPORT, capacity_bytes: '14 GiB' }],
  ['a size that is not a number', { ...REPORT, requested_bytes: NaN }],
  ['a negative size', { ...REPORT, parts: [{ kind: 'free', bytes: -1 }] }],
  ['an unknown part', { ...REPORT, parts: [{ kind: 'toString', bytes: 1 }] }],
  ['remedies that are an object', { ...REPORT, remedies: { length: 2 } }],
  [
    'a remedy of an unknown kind',
    {
      ...REPORT,
      remedies: [{ ...FREE, kind: 'execute' }]
    }
  ],
  [
    'a message that is markup',
    {
      ...REPORT,
      cause: { rule: 'x', claim: '<b>x</b>', evidence: '' }
    }
  ],
  [
    'a stub with a report inside',
    {
      version: '1.0',
      report_id: 'a',
      life_id: 'b',
      remedies: []
    }
  ]
];
