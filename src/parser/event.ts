import type {
  Event,
  IBye,
  IError,
  IHello,
  IProgress,
  ISample,
  IWarning
} from '../protocol';
import {
  type Check,
  count,
  flag,
  list,
  nullable,
  number,
  oneOf,
  shape,
  text
} from '../shape';
import { cell, oom } from './cell';
import { holders, path, snapshot } from './holders';
import { device, hostMemory, trend } from './memory';
import { message } from './message';
import { cleanup, plan, released } from './release';

export const hello = shape<IHello>({
  type: oneOf('hello'),
  protocol_version: text,
  helper_version: text,
  life_id: text,
  comm_id: text,
  installed: flag,
  complete: flag,
  control: flag
});

export const sample = shape<ISample>({
  type: oneOf('sample'),
  life_id: text,
  seq: count,
  time_s: number,
  state: oneOf('no_framework', 'not_initialised', 'no_gpu', 'live'),
  busy: flag,
  devices: list(device),
  host: nullable(hostMemory),
  trends: list(trend),
  queued: list(text)
});

const progress = shape<IProgress>({
  type: oneOf('progress'),
  life_id: text,
  request_id: text,
  elapsed_s: number
});

const warning = shape<IWarning>({
  type: oneOf('warning'),
  life_id: text,
  time_s: number,
  cell_id: nullable(text),
  kind: oneOf('filling_up', 'growth', 'retries', 'swallowed_oom'),
  device_index: nullable(count),
  message
});

const error = shape<IError>({
  type: oneOf('error'),
  life_id: text,
  time_s: number,
  request_id: nullable(text),
  where: text,
  message
});

const bye = shape<IBye>({
  type: oneOf('bye'),
  life_id: text,
  reason: oneOf('unloaded', 'replaced')
});

/** The check of each kind of event: a kind without one does not compile. */
export const EVENTS: {
  [K in Event['type']]: Check<Extract<Event, { type: K }>>;
} = {
  hello,
  sample,
  cell,
  oom,
  plan,
  released,
  holders,
  path,
  snapshot,
  cleanup,
  progress,
  warning,
  error,
  bye
};
