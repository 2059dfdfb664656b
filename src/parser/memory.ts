import type {
  IDevice,
  IFramework,
  IHistoryPoint,
  IHostMemory,
  ITrend
} from '../protocol';
import {
  count,
  flag,
  list,
  nullable,
  number,
  oneOf,
  shape,
  text
} from '../shape';
import { message } from './message';

export const frameworkName = oneOf('torch', 'jax', 'tensorflow', 'cupy');

const framework = shape<IFramework>({
  name: frameworkName,
  in_use_bytes: count,
  cached_bytes: nullable(count),
  preallocated: flag,
  peak_in_use_bytes: nullable(count),
  alloc_retries: nullable(count),
  ooms: nullable(count)
});

export const device = shape<IDevice>({
  index: count,
  backend: oneOf('cuda', 'rocm', 'xpu', 'mps'),
  name: nullable(text),
  uuid: nullable(text),
  simulated: flag,
  capacity_bytes: nullable(count),
  capacity_limited: flag,
  shared_with_host: flag,
  others_bytes: nullable(count),
  free_bytes: nullable(count),
  outside_bytes: nullable(count),
  in_use_bytes: count,
  cached_bytes: count,
  used_bytes: nullable(count),
  headroom_bytes: nullable(count),
  frameworks: list(framework),
  notes: list(message)
});

export const hostMemory = shape<IHostMemory>({
  rss_bytes: nullable(count),
  available_bytes: nullable(count),
  total_bytes: nullable(count)
});

export const trend = shape<ITrend>({
  device_index: count,
  state: oneOf('unknown', 'steady', 'growing'),
  bytes_per_s: nullable(count),
  bytes_per_step: nullable(count),
  steps: nullable(count),
  full_in_s: nullable(number),
  full_in_steps: nullable(count)
});

export const historyPoint = shape<IHistoryPoint>({
  time_s: number,
  device_index: count,
  in_use_bytes: count,
  cached_bytes: count,
  outside_bytes: nullable(count)
});
