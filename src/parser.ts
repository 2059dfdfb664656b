/**
 * The boundary of the wire: what comes in is checked here once and trusted after.
 *
 * Keys that are not known are let through, so that a newer helper of the same
 * major version is understood.
 */
import type {
  Event,
  ICause,
  ICell,
  ICellMemory,
  IDetail,
  IDevice,
  IDiff,
  IDiffRow,
  IEdit,
  IFramework,
  IHello,
  IHolder,
  IItem,
  IMessage,
  IPart,
  IRefused,
  IReleased,
  IRemedy,
  IReplies,
  IReport,
  ISample,
  IStub,
  ItemId,
  Reply
} from './protocol';
import {
  type Check,
  count,
  flag,
  integer,
  isObject,
  list,
  nullable,
  number,
  oneOf,
  shape,
  text
} from './shape';

const params: Check<IMessage['params']> = (value, path) => {
  if (!isObject(value)) {
    return `${path} is not an object`;
  }
  const plain = Object.values(value).every(
    item =>
      item === null || [text, flag, number].some(check => !check(item, path))
  );
  return plain ? null : `${path} holds more than plain values`;
};

const message = shape<IMessage>({ id: text, params, text });
const frameworkName = oneOf('torch', 'jax', 'tensorflow', 'cupy');
const itemId = oneOf<ItemId>('traceback', 'outputs', 'garbage', 'cache');

const framework = shape<IFramework>({
  name: frameworkName,
  in_use_bytes: count,
  cached_bytes: nullable(count),
  peak_in_use_bytes: nullable(count),
  alloc_retries: nullable(count),
  ooms: nullable(count)
});

const device = shape<IDevice>({
  index: count,
  name: nullable(text),
  uuid: nullable(text),
  simulated: flag,
  capacity_bytes: nullable(count),
  capacity_limited: flag,
  free_bytes: nullable(count),
  outside_bytes: nullable(count),
  in_use_bytes: count,
  cached_bytes: count,
  used_bytes: nullable(count),
  headroom_bytes: nullable(count),
  frameworks: list(framework)
});

const cellMemory = shape<ICellMemory>({
  device_index: count,
  change_bytes: nullable(integer),
  peak_bytes: nullable(count),
  peak_exact: flag,
  alloc_retries: nullable(count),
  ooms: nullable(count)
});

const holder = shape<IHolder>({
  name: text,
  kind: oneOf(
    'parameters',
    'gradients',
    'optimizer_state',
    'activations',
    'tensor'
  ),
  bytes: count
});

const part = shape<IPart>({
  kind: oneOf(
    'outside',
    'parameters',
    'optimizer_state',
    'gradients',
    'activations',
    'other_tensors',
    'not_attributed',
    'cached',
    'free'
  ),
  bytes: count
});

const diff = shape<IDiff>({
  cell_id: nullable(text),
  execution_count: nullable(count),
  rows: list(shape<IDiffRow>({ sign: oneOf(' ', '-', '+'), line: count, text }))
});

const remedy = shape<IRemedy>({
  id: text,
  kind: oneOf('release', 'edit', 'snippet', 'advice'),
  title: message,
  note: message,
  effect_bytes: nullable(count),
  effect_quality: oneOf('measured', 'estimated', 'not_measured'),
  type_this: nullable(text),
  diff: nullable(diff)
});

const stubKeys = { version: text, report_id: text, life_id: text };

const report = shape<IReport>({
  ...stubKeys,
  time_s: number,
  simulated: flag,
  framework: frameworkName,
  error_name: text,
  cell_id: nullable(text),
  execution_count: nullable(count),
  line: nullable(count),
  device_index: nullable(count),
  device_name: nullable(text),
  capacity_bytes: nullable(count),
  requested_bytes: nullable(count),
  available_bytes: nullable(count),
  in_use_bytes: nullable(count),
  cached_bytes: nullable(count),
  outside_bytes: nullable(count),
  parts: list(part),
  traceback_bytes: nullable(count),
  traceback_variables: list(holder),
  holders: list(holder),
  cause: nullable(
    shape<ICause>({ rule: text, claim: message, evidence: message })
  ),
  fits_after_free: nullable(flag),
  remedies: list(remedy),
  details: list(
    shape<IDetail>({ label: message, bytes: nullable(integer), source: text })
  )
});

const hello = shape<IHello>({
  type: oneOf('hello'),
  protocol_version: text,
  helper_version: text,
  life_id: text,
  comm_id: text,
  installed: flag,
  complete: flag,
  control: flag
});

const sample = shape<ISample>({
  type: oneOf('sample'),
  life_id: text,
  seq: count,
  time_s: number,
  state: oneOf('no_framework', 'not_initialised', 'no_gpu', 'live'),
  busy: flag,
  devices: list(device)
});

const cell = shape<ICell>({
  type: oneOf('cell'),
  life_id: text,
  cell_id: nullable(text),
  execution_count: nullable(count),
  status: oneOf('running', 'ok', 'error', 'oom'),
  start_s: number,
  end_s: nullable(number),
  memory: list(cellMemory)
});

const released = shape<IReleased>({
  type: oneOf('released'),
  life_id: text,
  release_id: text,
  report_id: nullable(text),
  time_s: number,
  status: oneOf('done', 'nothing', 'failed', 'cancelled'),
  freed_bytes: nullable(integer),
  returned_bytes: nullable(integer),
  in_use_bytes: nullable(count),
  headroom_before_bytes: nullable(count),
  headroom_after_bytes: nullable(count),
  items: list(
    shape<IReleased['items'][number]>({
      id: itemId,
      freed_bytes: nullable(integer)
    })
  ),
  still_held: list(holder),
  message
});

const item = shape<IItem>({
  id: itemId,
  title: message,
  cost: message,
  expected_bytes: nullable(count),
  safe: flag
});

const EVENTS: {
  [K in Event['type']]: Check<Extract<Event, { type: K }>>;
} = {
  hello,
  sample,
  cell,
  oom: shape({
    type: oneOf('oom'),
    life_id: text,
    report_id: text,
    time_s: number,
    cell_id: nullable(text),
    device_index: nullable(count),
    requested_bytes: nullable(count),
    available_bytes: nullable(count)
  }),
  plan: shape({
    type: oneOf('plan'),
    life_id: text,
    request_id: text,
    items: list(item),
    message
  }),
  released,
  warning: shape({
    type: oneOf('warning'),
    life_id: text,
    time_s: number,
    cell_id: nullable(text),
    message
  }),
  error: shape({
    type: oneOf('error'),
    life_id: text,
    time_s: number,
    where: text,
    message
  }),
  bye: shape({
    type: oneOf('bye'),
    life_id: text,
    reason: oneOf('unloaded', 'replaced')
  })
};

const REPLIES: { [K in keyof IReplies]: Check<IReplies[K]> } & {
  refused: Check<IRefused>;
} = {
  attach: shape({
    type: oneOf('attach'),
    id: text,
    hello,
    lease_s: number,
    sample: nullable(sample),
    cell: nullable(cell)
  }),
  detach: shape({ type: oneOf('detach'), id: text }),
  sample: shape({
    type: oneOf('sample'),
    id: text,
    sample,
    cell: nullable(cell)
  }),
  plan: shape({ type: oneOf('plan'), id: text, status: oneOf('queued') }),
  release: shape({
    type: oneOf('release'),
    id: text,
    release_id: text,
    status: oneOf('queued', 'waiting')
  }),
  cancel: shape({ type: oneOf('cancel'), id: text, cancelled: flag }),
  report: shape({
    type: oneOf('report'),
    id: text,
    status: oneOf('known', 'unknown'),
    report: nullable(report),
    released: nullable(released)
  }),
  fix: shape({
    type: oneOf('fix'),
    id: text,
    status: oneOf('ok', 'changed', 'unknown'),
    edits: list(
      shape<IEdit>({
        cell_id: text,
        first_line: count,
        old_lines: list(text),
        new_lines: list(text)
      })
    ),
    run: list(text),
    message
  }),
  cleanup: shape({ type: oneOf('cleanup'), id: text, code: text }),
  pack: shape({ type: oneOf('pack'), id: text, accepted: flag }),
  refused: shape({ type: oneOf('refused'), id: text, message })
};

const stub = shape<IStub>(stubKeys);

/** Causes that have been logged: each is worth one line, not one per second. */
const logged = new Set<string>();

function warnOnce(sentence: string): null {
  if (!logged.has(sentence)) {
    logged.add(sentence);
    console.warn(`GPU Headroom: ${sentence}`);
  }
  return null;
}

function parse(
  kind: string,
  checks: Record<string, Check<unknown>>,
  data: unknown
): unknown {
  const type = isObject(data) ? data.type : undefined;
  const check = Object.entries(checks).find(([key]) => key === type)?.[1];
  if (!check) {
    return warnOnce(`an ${kind} of an unknown type was ignored.`);
  }
  const problem = check(data, String(type));
  return problem
    ? warnOnce(`a malformed ${kind} was ignored: ${problem}.`)
    : data;
}

/**
 * Read an event; `null`, after one line in the log, when it is not one.
 */
export function parseEvent(data: unknown): Event | null {
  return parse('event', EVENTS, data) as Event | null;
}

/**
 * Read the body of a reply; `null`, after one line in the log, when it is not one.
 */
export function parseReply(data: unknown): Reply | null {
  return parse('answer', REPLIES, data) as Reply | null;
}

/**
 * Read the out-of-memory card of a notebook: a report, a stub, or `null`.
 */
export function parseReport(data: unknown): IReport | IStub | null {
  if (report(data, 'report') === null) {
    return data as IReport;
  }
  const keys = isObject(data) ? Object.keys(data).length : 0;
  const onlyStub = keys === Object.keys(stubKeys).length;
  return onlyStub && stub(data, 'stub') === null ? (data as IStub) : null;
}
