import type {
  ICause,
  IMessage,
  IReleased,
  IRemedy,
  IReport
} from '../protocol';
import type { IReportState } from '../report/state';
import { GIB } from '../text/format';
import { type IWords, words as wordsOf } from '../text/messages';
import { nullTranslator } from '@jupyterlab/translation';

/** English texts. */
export const WORDS: IWords = wordsOf(nullTranslator.load('gpu-headroom'));

export const gib = (size: number): number => Math.round(size * GIB);

/** Sentences of the helper that tests check. */
const TEMPLATES: Record<string, string> = {
  'sticky_error.sentence':
    'CUDA has stopped in this kernel: nothing on the GPU can be measured or freed any more. Only a restart helps.',
  'note.preallocated':
    '{framework} took a pool of {pool_bytes} when it started, on purpose: its size says nothing about need.',
  'note.beyond_gpu':
    "More is reserved than this GPU's {total_bytes}: the driver keeps {excess_bytes} in host memory (shared GPU memory), which makes everything on this GPU slow.",
  'warning.growth_holder':
    'This cell kept {growth_bytes} more on each of its last {runs} runs: `{name}` grows.',
  'remedy.free-traceback':
    "Free {traceback_bytes} held by this error's traceback",
  'remedy.free-traceback.note_not_enough':
    "The traceback keeps the failed cell's variables alive. You lose `%debug` for this error. That alone will not make this cell fit.",
  'remedy.smaller-batch': '`{name} = {old}` → `{new}` (line {line})',
  'remedy.smaller-batch.note':
    'Activations scale with the batch. Training changes slightly: check the learning rate.',
  'remedy.save-training': 'Save model and optimizer state',
  'remedy.restart': 'Restart the kernel',
  'remedy.restart.note':
    'Save first what is on the CPU. To see the line at fault, run the cell on the CPU, or with the environment variable `CUDA_LAUNCH_BLOCKING=1`, set before the first use of the GPU.',
  'cause.activations':
    '**Activations: {activations_bytes} of the {in_use_bytes} in tensors.**',
  'cause.activations.evidence_batch':
    'The forward pass keeps them for the backward pass, of {value} samples at once (`{name}`, {place}).',
  'detail.requested': 'Requested',
  'detail.in_use': 'In use by tensors',
  'detail.allowed': 'Allowed by the memory fraction',
  'fix.changed':
    'The cell was edited after it failed; line {line} no longer matches.',
  'holders.incomplete':
    'Stopped early: there are more objects than there was time for. Some names may be missing, and what they hold is not attributed.',
  'item.traceback': 'Tracebacks of failed cells',
  'plan.incomplete':
    'Not all was measured: there are more objects than there was time for.',
  'plan.ready':
    'About {expected_bytes} can be freed without deleting a variable you named.',
  'released.done': 'Freed {freed_bytes}: headroom is now {headroom_bytes}.',
  'released.failed': 'The release stopped early: {error}.',
  'released.nothing': 'Nothing was freed.',
  'released.nothing_held':
    'Nothing was freed: {in_use_bytes} are held by names of yours, most by `{name}`.',
  'rescue.saved': 'Saved {file_bytes} to `{path}`: `{names}`.',
  'rescue.failed': 'Nothing was saved: {error}.',
  'confirm.rerun':
    'Deleted first: `{names}` ({freed_bytes}). Re-created by {cell}.',
  'rerun.lost':
    'What `{names}` learned in training is lost: {cells} starts again.',
  'source.error': 'error message',
  'source.call': '{name}'
};

export function message(id: string, params: IMessage['params'] = {}): IMessage {
  const text = `English of ${id}`;
  return { id, template: TEMPLATES[id] ?? text, params, text };
}

export const FREE: IRemedy = {
  id: 'free-traceback',
  kind: 'release',
  title: message('remedy.free-traceback', { traceback_bytes: gib(12) }),
  note: message('remedy.free-traceback.note_not_enough'),
  effect_bytes: gib(12),
  effect_quality: 'measured',
  type_this: 'gpu_headroom.free_traceback()',
  diffs: [],
  example: null
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
  diffs: [
    {
      cell_id: 'cell-7',
      file: null,
      execution_count: 7,
      rows: [
        { sign: '-', line: 12, text: '    batch_size = 1024' },
        { sign: '+', line: 12, text: '    batch_size = 512' }
      ],
      sets: 'batch_size = 512'
    }
  ],
  example: null
};

/** The edit of an earlier cell that sets the batch size. */
export const ELSEWHERE: IRemedy = {
  ...SMALLER_BATCH,
  diffs: SMALLER_BATCH.diffs.map(diff => ({
    ...diff,
    cell_id: 'cell-2',
    execution_count: 2
  }))
};

/** The edit of a script beside the notebook that sets the batch size. */
export const IN_FILE: IRemedy = {
  ...SMALLER_BATCH,
  diffs: SMALLER_BATCH.diffs.map(diff => ({
    ...diff,
    cell_id: null,
    file: 'main.py',
    execution_count: null
  }))
};

/** Code for a cell of its own. */
export const SNIPPET: IRemedy = {
  id: 'lighter-optimizer',
  kind: 'snippet',
  title: message('remedy.lighter-optimizer'),
  note: message('remedy.lighter-optimizer.note'),
  effect_bytes: gib(0.9),
  effect_quality: 'estimated',
  type_this:
    'import bitsandbytes\n\noptimizer = bitsandbytes.optim.AdamW8bit()',
  diffs: [],
  example: null
};

/** Code to copy, in the user's names. */
export const SUGGESTION: IRemedy = {
  id: 'accumulate',
  kind: 'suggestion',
  title: message('remedy.accumulate'),
  note: message('remedy.accumulate.note'),
  effect_bytes: gib(4.9),
  effect_quality: 'estimated',
  type_this: null,
  diffs: [],
  example:
    'for part in batch.split(256):\n    (model(part).mean() / 4).backward()'
};

/** The training that failed, as a file. */
export const SAVE: IRemedy = {
  id: 'save-training',
  kind: 'save',
  title: message('remedy.save-training'),
  note: message('remedy.save-training.note'),
  effect_bytes: null,
  effect_quality: 'not_measured',
  type_this: "import torch; torch.save({'model': model.state_dict()}, …)",
  diffs: [],
  example: null
};

/** The only remedy after a sticky CUDA error. */
export const RESTART: IRemedy = {
  id: 'restart',
  kind: 'restart',
  title: message('remedy.restart'),
  note: message('remedy.restart.note'),
  effect_bytes: null,
  effect_quality: 'not_measured',
  type_this: null,
  diffs: [],
  example: null
};

/** The cause of the mock-ups. */
export const CAUSE: ICause = {
  rule: 'activations',
  claim: message('cause.activations', {
    activations_bytes: gib(9.8),
    in_use_bytes: gib(12.2)
  }),
  evidence: message('cause.activations.evidence_batch', {
    name: 'batch_size',
    value: 1024,
    place: 'line 2'
  }),
  bytes: gib(9.8)
};

/** The failure of the mock-ups; its parts add up to the GPU's 14.74 GiB. */
export const REPORT: IReport = {
  version: '1.1',
  report_id: 'report-1',
  helper_id: 'helper-1',
  time_s: 1747058520,
  simulated: false,
  sticky_error: false,
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
  cause: CAUSE,
  further_causes: [],
  fits_after_free: false,
  remedies: [FREE, SMALLER_BATCH],
  details: [
    {
      label: message('detail.requested'),
      bytes: gib(2),
      source: message('source.error')
    },
    {
      label: message('detail.in_use'),
      bytes: gib(12.2),
      source: message('source.call', { name: 'memory_allocated()' })
    },
    {
      label: message('detail.allowed'),
      bytes: null,
      source: message('source.call', { name: 'hidden' })
    }
  ],
  versions: [{ name: 'PyTorch', version: '2.9.1' }],
  looking: false,
  worker: null,
  origin: null,
  also_failed: 0,
  measured: 'kernel'
};

export const RELEASED: IReleased = {
  type: 'released',
  helper_id: 'helper-1',
  release_id: 'release-1',
  report_id: 'report-1',
  automatic: false,
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
      kind: 'traceback',
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

/** A report in a notebook, confirmed by the running helper. */
export const CONFIRMED: IReportState = {
  trust: 'confirmed',
  editable: true,
  released: null,
  said: null,
  tried: null,
  runs: {},
  remedies: {}
};

/** Labels of a report's buttons, except those of Details, which are always there. */
export function buttonsIn(report: Element): string[] {
  return [...report.querySelectorAll('button')]
    .filter(button => !button.closest('[data-fold=details]'))
    .map(button => button.textContent ?? '');
}

/** Invalid reports, which no helper writes, each with a description. */
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
      helper_id: 'b',
      remedies: []
    }
  ]
];
