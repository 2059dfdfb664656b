import type { INotebookContent } from '@jupyterlab/nbformat';

import { codeCell, notebookOf } from './cells';
import { MIME_TYPE } from './reading';

const GIB = 2 ** 30;

/** A sentence without values: its template is the same. */
const message = (text: string): object => ({
  id: 'not-known',
  template: text,
  params: {},
  text
});

/** A report that no kernel of these tests has made. */
export function savedReport(changes: object = {}): object {
  return {
    version: '1.0',
    report_id: 'a-report-from-elsewhere',
    helper_id: 'a-helper-long-gone',
    time_s: 1_800_000_000,
    sticky_error: false,
    simulated: false,
    framework: 'torch',
    error_name: 'OutOfMemoryError',
    cell_id: 'cell-0',
    execution_count: 1,
    line: 1,
    device_index: 0,
    device_name: 'Tesla T4',
    capacity_bytes: 15 * GIB,
    requested_bytes: 2 * GIB,
    available_bytes: GIB,
    in_use_bytes: 12 * GIB,
    cached_bytes: GIB,
    outside_bytes: GIB,
    parts: [
      { kind: 'outside', bytes: GIB },
      { kind: 'activations', bytes: 12 * GIB },
      { kind: 'cached', bytes: GIB },
      { kind: 'free', bytes: GIB }
    ],
    traceback_bytes: 12 * GIB,
    traceback_variables: [{ name: 'x', kind: 'activations', bytes: 12 * GIB }],
    holders: [],
    cause: {
      rule: 'activations',
      claim: message('**Activations** fill the GPU.'),
      evidence: message('They grow with `batch_size`.'),
      bytes: 12 * GIB
    },
    further_causes: [],
    fits_after_free: false,
    remedies: [
      {
        id: 'free-traceback',
        kind: 'release',
        title: message('Free what the traceback holds'),
        note: message('You lose `%debug`.'),
        effect_bytes: 12 * GIB,
        effect_quality: 'measured',
        type_this: 'import gpu_headroom; gpu_headroom.free_traceback()',
        diffs: [],
        example: null
      },
      {
        id: 'smaller-batch',
        kind: 'edit',
        title: message('A smaller batch'),
        note: message('Training changes slightly.'),
        effect_bytes: 6 * GIB,
        effect_quality: 'estimated',
        type_this: null,
        diffs: [
          {
            cell_id: 'cell-0',
            file: null,
            execution_count: 1,
            rows: [
              { sign: '-', line: 1, text: 'batch_size = 512' },
              { sign: '+', line: 1, text: 'batch_size = 256' }
            ],
            sets: 'batch_size = 256'
          }
        ],
        example: null
      }
    ],
    details: [
      {
        label: message('Requested'),
        bytes: 2 * GIB,
        source: message('the error')
      }
    ],
    versions: [],
    looking: false,
    worker: null,
    origin: null,
    also_failed: 0,
    measured: 'kernel',
    ...changes
  };
}

/** A notebook whose first cell has saved reports as its outputs. */
export function notebookWith(...reports: unknown[]): INotebookContent {
  const outputs = reports.map(report => ({
    output_type: 'display_data',
    metadata: {},
    data: {
      [MIME_TYPE]: report,
      'text/html': '<h3>Out of GPU memory</h3>',
      'text/plain': 'Out of GPU memory'
    }
  }));
  return {
    ...notebookOf([]),
    cells: [codeCell('cell-0', 'batch_size = 512', outputs)]
  };
}
