import type {
  ICause,
  IDetail,
  IDiff,
  IDiffRow,
  IPart,
  IRemedy,
  IReport,
  IStub
} from '../protocol';
import {
  count,
  flag,
  integer,
  list,
  nullable,
  number,
  oneOf,
  shape,
  text
} from '../shape';
import { holder } from './holders';
import { frameworkName } from './memory';
import { message } from './message';

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

export const stubKeys = { version: text, report_id: text, life_id: text };

export const report = shape<IReport>({
  ...stubKeys,
  time_s: number,
  simulated: flag,
  poisoned: flag,
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
    shape<IDetail>({
      label: message,
      bytes: nullable(integer),
      source: message
    })
  )
});

export const stub = shape<IStub>(stubKeys);
