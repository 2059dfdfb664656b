import type {
  IHeld,
  IHeldDevice,
  IHeldPart,
  IHolder,
  IHolders,
  IMade,
  IPath,
  IProcess,
  ISnapshot
} from '../protocol';
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
import { frameworkName } from './memory';
import { message } from './message';

const HOLDER_KINDS = [
  'parameters',
  'gradients',
  'optimizer_state',
  'activations',
  'tensor'
] as const;

export const holder = shape<IHolder>({
  name: text,
  kind: oneOf(...HOLDER_KINDS),
  bytes: count
});

const made = shape<IMade>({
  cell_id: nullable(text),
  execution_count: nullable(count),
  line: nullable(atLeast(1))
});

const heldPart = shape<IHeldPart>({
  id: text,
  name: text,
  kind: oneOf(...HOLDER_KINDS),
  framework: frameworkName,
  bytes: count,
  graph: flag,
  dtype: nullable(text),
  shape: nullable(list(integer)),
  made: nullable(made)
});

const held = shape<IHeld>({
  id: text,
  name: text,
  origin: oneOf('names', 'outputs', 'traceback', 'elsewhere'),
  kind: oneOf(...HOLDER_KINDS, 'mixed'),
  type_name: nullable(text),
  bytes: count,
  graph_bytes: count,
  count: atLeast(1),
  aliases: list(text),
  parts: list(heldPart),
  hint: nullable(message)
});

const process = shape<IProcess>({
  pid: nullable(count),
  name: nullable(text),
  bytes: nullable(count)
});

const heldDevice = shape<IHeldDevice>({
  device_index: count,
  in_use_bytes: count,
  named_bytes: count,
  graph_bytes: count,
  unnamed_bytes: count,
  not_attributed_bytes: count,
  rows: list(held),
  processes: nullable(list(process))
});

export const holders = shape<IHolders>({
  type: oneOf('holders'),
  life_id: text,
  request_id: nullable(text),
  time_s: number,
  duration_s: number,
  complete: flag,
  execution_count: nullable(count),
  recording: flag,
  devices: list(heldDevice),
  message
});

export const path = shape<IPath>({
  type: oneOf('path'),
  life_id: text,
  request_id: text,
  holder_id: text,
  complete: flag,
  paths: list(list(message)),
  message
});

export const snapshot = shape<ISnapshot>({
  type: oneOf('snapshot'),
  life_id: text,
  request_id: text,
  path: nullable(text),
  bytes: nullable(count),
  message
});
