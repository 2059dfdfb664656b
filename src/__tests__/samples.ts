import { type History, usedAt, withPoints } from '../memory/history';
import type {
  Event,
  ICell,
  ICellMemory,
  IDevice,
  IFrameCall,
  IFrameEnvelope,
  IFrameMessage,
  IFrameOpening,
  IFrameOutput,
  IFrameScript,
  IHello,
  IHistoryPoint,
  IHolders,
  IItem,
  IRefused,
  IReplies,
  IRequests,
  ISample,
  ITrend
} from '../protocol';
import { DRY_RUN, UNKNOWN_DRY_RUN } from './dryrun';
import { CAUSE, gib, message, RELEASED, REPORT } from './report';
import {
  RANK,
  RANK_GPU,
  UNKNOWN_WORKERS,
  WORKER_RELEASED,
  WORKERS
} from './workers';

/** The T4 of the mock-ups. */
export const DEVICE: IDevice = {
  index: 0,
  backend: 'cuda',
  name: 'Tesla T4',
  uuid: 'GPU-1',
  simulated: false,
  capacity_bytes: gib(14.7),
  capacity_limited: false,
  shared_with_host: false,
  others_bytes: gib(0.7),
  free_bytes: gib(7.3),
  outside_bytes: gib(1),
  in_use_bytes: gib(5.3),
  cached_bytes: gib(1.1),
  used_bytes: gib(6.3),
  headroom_bytes: gib(8.4),
  frameworks: [
    {
      name: 'torch',
      title: 'PyTorch',
      in_use_bytes: gib(5.3),
      cached_bytes: gib(1.1),
      preallocated: false,
      peak_in_use_bytes: gib(6),
      alloc_retries: 0,
      ooms: 0
    }
  ],
  notes: []
};

/** The same GPU with another amount in use. */
export function deviceWith(headroom_gib: number): IDevice {
  const headroom_bytes = gib(headroom_gib);
  const used_bytes = gib(14.7) - headroom_bytes;
  return {
    ...DEVICE,
    headroom_bytes,
    used_bytes,
    in_use_bytes: used_bytes - gib(1),
    cached_bytes: 0,
    free_bytes: headroom_bytes
  };
}

export const HELLO: IHello = {
  type: 'hello',
  protocol_version: '2.0',
  helper_version: '0.1.0',
  helper_id: 'helper-1',
  comm_id: 'comm-1',
  installed: false,
  control: true
};

export const SAMPLE: ISample = {
  type: 'sample',
  helper_id: 'helper-1',
  seq: 7,
  time_s: 1747058520,
  state: 'live',
  busy: false,
  devices: [DEVICE],
  host: {
    rss_bytes: gib(3.1),
    available_bytes: gib(9.8),
    total_bytes: gib(15.6),
    oom_kills: 0
  },
  trends: [],
  queued: [],
  cuda_started: null,
  workers: null
};

export const CELL: ICell = {
  type: 'cell',
  helper_id: 'helper-1',
  cell_id: 'cell-7',
  execution_count: 7,
  status: 'ok',
  start_s: 1747058500,
  end_s: 1747058510,
  memory: [
    {
      device_index: 0,
      change_bytes: -gib(1),
      peak_bytes: gib(6),
      peak_at_most_bytes: gib(6),
      needed_bytes: gib(2),
      alloc_retries: 1,
      ooms: 0
    }
  ],
  run: 2,
  growth: { device_index: 0, runs: 3, bytes_per_run: gib(0.5), holder: 'xs' },
  output_id: 'output:7',
  source_crc32: null,
  workers_bytes: null
};

/** Effect of a successful cell that kept memory on the first device. */
export const KEPT: ICellMemory = {
  device_index: 0,
  change_bytes: gib(1.2),
  peak_bytes: gib(8.1),
  peak_at_most_bytes: gib(8.1),
  needed_bytes: gib(3),
  alloc_retries: 0,
  ooms: 0
};

/** A successful run, with some fields changed. */
export function ranCell(
  change: Partial<ICell>,
  memory: Partial<ICellMemory> = {}
): ICell {
  return {
    ...CELL,
    cell_id: 'a',
    growth: null,
    run: 1,
    memory: [{ ...KEPT, ...memory }],
    ...change
  };
}

/** Memory that grows while a cell runs. */
export const TREND: ITrend = {
  device_index: 0,
  state: 'growing',
  bytes_per_s: 120 * 2 ** 20,
  bytes_per_step: 120 * 2 ** 20,
  steps: 43,
  full_in_s: 40,
  full_in_steps: 40
};

export const POINT: IHistoryPoint = {
  time_s: 1747058519,
  device_index: 0,
  in_use_bytes: gib(5.3),
  cached_bytes: gib(1.1),
  outside_bytes: gib(1),
  width_s: 1,
  low_bytes: gib(6.3)
};

/** The history after these readings of the helper. */
export function historyOf(...points: readonly IHistoryPoint[]): History {
  const samples = points.map(each => ({ ...each, low_bytes: usedAt(each) }));
  return withPoints({}, samples);
}

const HOLDER = { name: 'x', kind: 'tensor', bytes: gib(1) } as const;

/** Holders of the memory of `DEVICE`. */
export const HOLDERS: IHolders = {
  type: 'holders',
  helper_id: 'helper-1',
  request_id: 'request-1',
  time_s: 1747058520,
  duration_s: 0.04,
  complete: true,
  execution_count: 7,
  recording: true,
  devices: [
    {
      device_index: 0,
      in_use_bytes: gib(5.3),
      parts: [
        { kind: 'named', bytes: gib(5) },
        { kind: 'graphs', bytes: gib(0.2) },
        { kind: 'unnamed', bytes: 0 },
        { kind: 'workspaces', bytes: 0 },
        { kind: 'not_attributed', bytes: gib(0.1) }
      ],
      rows: [
        {
          id: 'name:model',
          name: 'model',
          origin: 'names',
          kind: 'mixed',
          type_name: 'GPT2LMHeadModel',
          bytes: gib(5.2),
          graph_bytes: gib(0.2),
          count: 2,
          aliases: ['net'],
          parts: [
            {
              id: 'storage:1',
              name: '.lm_head.weight',
              kind: 'parameters',
              framework: 'torch',
              bytes: gib(5),
              graph: false,
              dtype: 'float32',
              shape: [50257, 768],
              allocation_site: {
                cell_id: 'cell-3',
                execution_count: 3,
                line: 2
              }
            }
          ],
          hint: message('hint.gradients')
        }
      ],
      processes: [{ pid: 4711, name: 'python', bytes: gib(0.7) }]
    }
  ],
  message: message('holders.measured')
};

/** Item deleted before the cell of the mock-ups runs again. */
export const RERUN_ITEM: IItem = {
  id: 'rerun:1:cell-7',
  kind: 'leftover',
  name: null,
  title: message('item.variable', { names: 'model, out' }),
  cost: message('item.rerun.cost', { cell: 'In [7]' }),
  expected_bytes: gib(1.2),
  safe: false,
  selected: false,
  adds_headroom: true,
  names: ['model', 'out'],
  confirm: message('confirm.rerun', {
    names: 'model, out',
    freed_bytes: gib(1.2),
    cell: 'In [7]'
  }),
  blocked: null
};

/** One sample per kind: a kind that is added to `Event` does not compile until it is here. */
export const EVENTS: { [K in Event['type']]: Extract<Event, { type: K }> } = {
  hello: HELLO,
  sample: SAMPLE,
  cell: CELL,
  oom: {
    type: 'oom',
    helper_id: 'helper-1',
    report_id: 'report-1',
    time_s: 1747058520,
    cell_id: 'cell-7',
    device_index: 0,
    requested_bytes: gib(2),
    available_bytes: gib(0.7)
  },
  plan: {
    type: 'plan',
    helper_id: 'helper-1',
    request_id: 'request-1',
    items: [
      {
        id: 'traceback',
        kind: 'traceback',
        name: null,
        title: message('item.traceback'),
        cost: message('item.traceback.cost'),
        expected_bytes: gib(1),
        safe: true,
        selected: true,
        adds_headroom: true,
        names: [],
        confirm: null,
        blocked: null
      }
    ],
    complete: true,
    shared: [{ ids: ['variable:losses', 'graph:losses'], bytes: gib(0.5) }],
    message: message('plan.ready', { freeable_bytes: gib(1), name: 'x' })
  },
  released: { ...RELEASED, still_held: [HOLDER] },
  worker_released: WORKER_RELEASED,
  dry_run: DRY_RUN,
  holders: HOLDERS,
  path: {
    type: 'path',
    helper_id: 'helper-1',
    request_id: 'request-1',
    holder_id: 'storage:1',
    complete: true,
    paths: [[message('path.name', { name: 'model' })]],
    message: message('path.found')
  },
  cleanup: {
    type: 'cleanup',
    helper_id: 'helper-1',
    request_id: 'request-1',
    code: 'import gc',
    message: message('cleanup.written')
  },
  rescue: {
    type: 'rescue',
    helper_id: 'helper-1',
    request_id: 'request-1',
    path: '/home/jo/gpu-headroom-cell-7.pt',
    bytes: 4096,
    code: 'import torch',
    message: message('rescue.saved')
  },
  rerun: {
    type: 'rerun',
    helper_id: 'helper-1',
    request_id: 'request-1',
    status: 'ready',
    items: [RERUN_ITEM],
    cautions: [message('rerun.lost', { names: 'model', cells: 'In [7]' })],
    saves: true
  },
  progress: {
    type: 'progress',
    helper_id: 'helper-1',
    request_id: 'request-1',
    elapsed_s: 1.5
  },
  snapshot: {
    type: 'snapshot',
    helper_id: 'helper-1',
    request_id: 'request-1',
    path: '/home/jo/memory.pickle',
    bytes: 4096,
    message: message('snapshot.written')
  },
  warning: {
    type: 'warning',
    helper_id: 'helper-1',
    time_s: 1747058520,
    cell_id: 'cell-7',
    kind: 'filling_up',
    device_index: 0,
    message: message('warning.growth')
  },
  error: {
    type: 'error',
    helper_id: 'helper-1',
    time_s: 1747058520,
    request_id: null,
    where: 'sampler',
    message: message('error.sampler')
  },
  bye: { type: 'bye', helper_id: 'helper-1', reason: 'unloaded' }
};

const envelope = { id: 'request-1', protocol_version: '2.0' };

/** One sample per request. */
export const REQUESTS: IRequests = {
  attach: {
    type: 'attach',
    ...envelope,
    client_id: 'client-1',
    visible: true,
    rate_hz: 2,
    options: {
      mark_cells: true,
      keep_reports: true,
      name_others: true,
      record_allocations: false,
      after_oom: 'ask',
      measure_workers: 'ask'
    }
  },
  detach: { type: 'detach', ...envelope, client_id: 'client-1' },
  sample: { type: 'sample', ...envelope, client_id: 'client-1' },
  plan: { type: 'plan', ...envelope, asked: false },
  holders: { type: 'holders', ...envelope, asked: true },
  path: { type: 'path', ...envelope, holder_id: 'storage:1' },
  cells: { type: 'cells', ...envelope },
  history: { type: 'history', ...envelope },
  snapshot: { type: 'snapshot', ...envelope, path: null },
  release: {
    type: 'release',
    ...envelope,
    items: ['traceback', 'variable:outputs'],
    confirmed: ['variable:outputs'],
    report_id: 'report-1'
  },
  cancel: { type: 'cancel', ...envelope, cancelled_id: 'release-1' },
  report: {
    type: 'report',
    ...envelope,
    helper_id: 'helper-1',
    report_id: 'report-1'
  },
  fix: {
    type: 'fix',
    ...envelope,
    report_id: 'report-1',
    remedy_id: 'smaller-batch',
    sources: { 'cell-7': 'batch_size = 1024' }
  },
  cleanup: { type: 'cleanup', ...envelope, items: ['traceback'] },
  rescue: { type: 'rescue', ...envelope, report_id: 'report-1' },
  rerun: {
    type: 'rerun',
    ...envelope,
    report_id: 'report-1',
    run: ['cell-7'],
    sources: { 'cell-7': 'batch_size = 512' }
  },
  explain: {
    type: 'explain',
    ...envelope,
    cell_id: 'cell-7',
    parent_id: 'message-1',
    printed: 'torch.OutOfMemoryError: CUDA out of memory.'
  },
  presence: { type: 'presence', ...envelope },
  workers: {
    type: 'workers',
    ...envelope,
    filter: ''
  },
  follow: { type: 'follow', ...envelope, engine: 'dask', follow: true },
  worker_release: {
    type: 'worker_release',
    ...envelope,
    worker_id: RANK.id,
    action: 'free'
  },
  dry_run: {
    type: 'dry_run',
    ...envelope,
    action: 'begin',
    sources: { 'cell-7': 'model(x)' },
    labels: { 'cell-7': 'In [7]' },
    gpu: 'T4',
    report_id: 'report-1',
    agreed: false,
    largest_on_each: false,
    values_to: null
  }
};

const id = 'request-1';

/** One sample per reply. */
export const REPLIES: IReplies & { refused: IRefused } = {
  attach: {
    type: 'attach',
    id,
    hello: HELLO,
    lease_s: 30,
    sample: SAMPLE,
    cell: CELL
  },
  detach: { type: 'detach', id },
  sample: { type: 'sample', id, sample: SAMPLE, cell: CELL },
  plan: { type: 'plan', id, status: 'queued' },
  holders: { type: 'holders', id, status: 'waiting', last: HOLDERS },
  path: { type: 'path', id, status: 'queued' },
  cells: { type: 'cells', id, runs: [CELL] },
  history: { type: 'history', id, points: [POINT] },
  snapshot: { type: 'snapshot', id, status: 'queued' },
  release: { type: 'release', id, release_id: 'release-1', status: 'waiting' },
  cancel: { type: 'cancel', id, cancelled: true },
  report: {
    type: 'report',
    id,
    status: 'known',
    report: {
      ...REPORT,
      holders: [HOLDER],
      further_causes: [CAUSE]
    },
    released: RELEASED
  },
  fix: {
    type: 'fix',
    id,
    status: 'ok',
    edits: [
      {
        cell_id: 'cell-7',
        first_line: 12,
        old_lines: ['batch_size = 1024'],
        new_lines: ['batch_size = 512']
      }
    ],
    run: ['cell-7'],
    message: message('fix.ok'),
    caution: null
  },
  cleanup: { type: 'cleanup', id, status: 'queued' },
  rescue: { type: 'rescue', id, status: 'queued' },
  rerun: { type: 'rerun', id, status: 'queued' },
  explain: { type: 'explain', id, report_id: 'report-1' },
  presence: { type: 'presence', id, sample: SAMPLE, idle_since_s: 1747058520 },
  workers: {
    type: 'workers',
    id,
    workers: WORKERS,
    gpus: [RANK_GPU],
    total: 1
  },
  follow: { type: 'follow', id },
  worker_release: { type: 'worker_release', id, status: 'queued' },
  dry_run: { type: 'dry_run', id, status: 'queued' },
  refused: { type: 'refused', id, message: message('refused.unknown') }
};

const NO_DEVICE: IDevice = {
  ...DEVICE,
  name: null,
  uuid: null,
  capacity_bytes: null,
  others_bytes: null,
  free_bytes: null,
  outside_bytes: null,
  used_bytes: null,
  headroom_bytes: null,
  frameworks: [
    {
      name: 'cupy',
      title: 'CuPy',
      in_use_bytes: 0,
      cached_bytes: null,
      preallocated: true,
      peak_in_use_bytes: null,
      alloc_retries: null,
      ooms: null
    }
  ]
};

const NO_SAMPLE: ISample = {
  ...SAMPLE,
  devices: [NO_DEVICE],
  host: {
    rss_bytes: null,
    available_bytes: null,
    total_bytes: null,
    oom_kills: null
  },
  trends: [
    {
      device_index: 0,
      state: 'unknown',
      bytes_per_s: null,
      bytes_per_step: null,
      steps: null,
      full_in_s: null,
      full_in_steps: null
    }
  ]
};

const NO_HOLDERS: IHolders = {
  ...HOLDERS,
  request_id: null,
  execution_count: null,
  devices: HOLDERS.devices.map(device => ({
    ...device,
    rows: device.rows.map(row => ({
      ...row,
      type_name: null,
      parts: row.parts.flatMap(part => [
        { ...part, dtype: null, shape: null, allocation_site: null },
        {
          ...part,
          allocation_site: { cell_id: null, execution_count: null, line: null }
        }
      ]),
      hint: null
    })),
    processes: [{ pid: null, name: null, bytes: null }]
  }))
};

const NO_CELL: ICell = {
  ...CELL,
  cell_id: null,
  execution_count: null,
  end_s: null,
  memory: [
    {
      device_index: 0,
      change_bytes: null,
      peak_bytes: null,
      peak_at_most_bytes: null,
      needed_bytes: null,
      alloc_retries: null,
      ooms: null
    }
  ],
  growth: { device_index: 0, runs: 2, bytes_per_run: 0, holder: null },
  output_id: null,
  source_crc32: null
};

/** Events with every nullable value `null`: the compiler checks nullability. */
export const UNKNOWN_EVENTS: readonly Event[] = [
  NO_SAMPLE,
  NO_CELL,
  UNKNOWN_DRY_RUN,
  {
    ...EVENTS.oom,
    cell_id: null,
    device_index: null,
    requested_bytes: null,
    available_bytes: null
  },
  {
    ...EVENTS.plan,
    items: EVENTS.plan.items.map(item => ({ ...item, expected_bytes: null }))
  },
  {
    ...EVENTS.released,
    report_id: null,
    freed_bytes: null,
    returned_bytes: null,
    in_use_bytes: null,
    headroom_before_bytes: null,
    headroom_after_bytes: null,
    items: EVENTS.released.items.map(item => ({
      ...item,
      freed_bytes: null,
      message: message('released.nothing')
    })),
    message: {
      id: 'released.nothing',
      template: '',
      params: { name: null },
      text: ''
    }
  },
  { ...SAMPLE, host: null },
  {
    ...SAMPLE,
    workers: UNKNOWN_WORKERS,
    cuda_started: { cell_id: 'cell-3', execution_count: 3 }
  },
  {
    ...SAMPLE,
    workers: { ...WORKERS, fullest: null },
    cuda_started: { cell_id: null, execution_count: null }
  },
  { ...CELL, workers_bytes: gib(11.2) },
  { ...CELL, growth: null },
  NO_HOLDERS,
  {
    ...HOLDERS,
    devices: HOLDERS.devices.map(device => ({ ...device, processes: null }))
  },
  { ...EVENTS.snapshot, path: null, bytes: null },
  { ...EVENTS.rescue, path: null, bytes: null, code: null },
  { ...EVENTS.warning, cell_id: null, device_index: null }
];

/** Replies with every nullable value `null`. */
export const UNKNOWN_REPLIES: readonly IReplies[keyof IReplies][] = [
  { ...REPLIES.attach, sample: null, cell: null },
  { ...REPLIES.sample, sample: NO_SAMPLE, cell: null },
  { ...REPLIES.holders, last: null },
  {
    ...REPLIES.history,
    points: [{ ...POINT, outside_bytes: null }]
  },
  { ...REPLIES.report, report: null, released: null },
  { ...REPLIES.workers, workers: null },
  {
    ...REPLIES.report,
    report: {
      ...REPORT,
      cell_id: null,
      execution_count: null,
      line: null,
      device_index: null,
      device_name: null,
      capacity_bytes: null,
      requested_bytes: null,
      available_bytes: null,
      in_use_bytes: null,
      cached_bytes: null,
      outside_bytes: null,
      traceback_bytes: null,
      cause: null,
      further_causes: [{ ...CAUSE, bytes: null }],
      fits_after_free: null,
      remedies: REPORT.remedies.map(remedy => ({
        ...remedy,
        effect_bytes: null,
        type_this: null,
        diffs: [
          {
            cell_id: null,
            file: null,
            execution_count: null,
            rows: [],
            sets: null
          }
        ]
      })),
      details: REPORT.details.map(detail => ({ ...detail, bytes: null }))
    }
  }
];

/** The wire of a frame: a sample of each message, by its type. */
export const FRAMES: {
  frame_output: IFrameOutput;
  frame_opening: IFrameOpening;
  frame_message: IFrameMessage;
  frame_call: IFrameCall;
  frame_envelope: IFrameEnvelope;
  frame_script: IFrameScript;
} = {
  frame_output: {
    uid: 'output-1',
    helper_id: 'helper-1',
    kind: 'gauge',
    compact: false,
    report_id: null
  },
  frame_opening: { version: '1', uid: 'output-1', helper_id: 'helper-1' },
  frame_message: { seen: 3, poll: 7, request: null },
  frame_call: { uid: 'output-1', seen: 0, request: REQUESTS.sample },
  frame_envelope: {
    helper_id: 'helper-1',
    poll: 7,
    reply: null,
    fixed: [{ cell_id: 'cell-1', execution_count: 1, source: 'x = 1' }],
    events: [[4, SAMPLE]]
  },
  frame_script: { script: '(() => {})();', style: 'p{margin:0}' }
};
