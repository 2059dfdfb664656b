import type { IDryRun, IDryRunFound } from '../protocol';
import { gib, message } from './report';

/** Results of the dry run of a training. */
export const FOUND: IDryRunFound = {
  simulated: true,
  needed_bytes: gib(9.8),
  whole: true,
  cell_id: 'cell-7',
  line: 8,
  parts: [
    { kind: 'parameters', bytes: gib(1) },
    { kind: 'activations', bytes: gib(8) },
    { kind: 'outside', bytes: gib(0.8) }
  ],
  said: [
    message('Needed at its peak: {needed_bytes}, simulated.', {
      needed_bytes: gib(9.8)
    }),
    message('Reached in In [4], line 8: `loss.backward()`.')
  ],
  values_to: null,
  batch: 'batch_size',
  fits: [
    {
      gpu: '8 GiB',
      where: '',
      total_bytes: gib(8),
      fits: false,
      left_bytes: gib(-1.8),
      largest: null
    },
    {
      gpu: 'T4',
      where: 'Colab, Kaggle',
      total_bytes: gib(14.6),
      fits: true,
      left_bytes: gib(4.8),
      largest: null
    },
    {
      gpu: 'L4',
      where: 'Colab',
      total_bytes: gib(22),
      fits: null,
      left_bytes: null,
      largest: null
    }
  ],
  tried_on: '8 GiB',
  tries: [
    {
      remedy_id: 'smaller-batch',
      title: message('`batch_size = 1024` → `512` (line 12)'),
      number: 512,
      fits: true,
      peak_bytes: gib(6.1),
      message: message('fits, peak {peak_bytes} of 8.0 GiB', {
        peak_bytes: gib(6.1)
      }),
      edits: [
        {
          cell_id: 'cell-7',
          first_line: 12,
          old_lines: ['batch_size = 1024'],
          new_lines: ['batch_size = 512']
        }
      ]
    },
    {
      remedy_id: 'checkpointing',
      title: message('Recompute activations'),
      number: null,
      fits: false,
      peak_bytes: null,
      message: message('fails again in In [4], line 8'),
      edits: []
    }
  ]
};

export const DRY_RUN: IDryRun = {
  type: 'dry_run',
  helper_id: 'helper-1',
  request_id: 'request-1',
  status: 'running',
  message: message('In [4] runs on a simulated GPU.'),
  asks: [{ cell_id: 'cell-7', calls: ['model.push_to_hub'] }],
  found: FOUND
};

/** A dry run whose optional values are all unknown. */
export const UNKNOWN_DRY_RUN: IDryRun = {
  ...DRY_RUN,
  message: null,
  found: {
    ...FOUND,
    needed_bytes: null,
    cell_id: null,
    line: null,
    tried_on: null,
    tries: FOUND.tries.map(each => ({ ...each, fits: null }))
  }
};
