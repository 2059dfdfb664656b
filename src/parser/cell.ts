import type { ICell, ICellMemory, IGrowth, IOom } from '../protocol';
import {
  atLeast,
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

const cellMemory = shape<ICellMemory>({
  device_index: count,
  change_bytes: nullable(integer),
  peak_bytes: nullable(count),
  peak_exact: flag,
  needed_bytes: nullable(count),
  alloc_retries: nullable(count),
  ooms: nullable(count)
});

const growth = shape<IGrowth>({
  device_index: count,
  runs: atLeast(2),
  bytes_per_run: count,
  holder: nullable(text)
});

export const cell = shape<ICell>({
  type: oneOf('cell'),
  life_id: text,
  cell_id: nullable(text),
  execution_count: nullable(count),
  status: oneOf('running', 'ok', 'error', 'oom'),
  start_s: number,
  end_s: nullable(number),
  memory: list(cellMemory),
  run: atLeast(1),
  growth: nullable(growth)
});

export const oom = shape<IOom>({
  type: oneOf('oom'),
  life_id: text,
  report_id: text,
  time_s: number,
  cell_id: nullable(text),
  device_index: nullable(count),
  requested_bytes: nullable(count),
  available_bytes: nullable(count)
});
