import type {
  ICleanup,
  IItem,
  IPlan,
  IReleased,
  IReleasedItem,
  IShared,
  ItemKind
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
import { message } from './message';

const itemKind = oneOf<ItemKind>(
  'traceback',
  'outputs',
  'garbage',
  'cache',
  'error',
  'variable',
  'leftover',
  'gradients',
  'optimizer_state',
  'graph',
  'offload',
  'restore',
  'framework_cache'
);

const item = shape<IItem>({
  id: text,
  kind: itemKind,
  title: message,
  cost: message,
  expected_bytes: nullable(count),
  safe: flag,
  selected: flag,
  adds_headroom: flag,
  names: list(text),
  confirm: nullable(message),
  blocked: nullable(message)
});

const shared = shape<IShared>({ ids: list(text), bytes: count });

const releasedItem = shape<IReleasedItem>({
  id: text,
  title: message,
  freed_bytes: nullable(integer),
  message: nullable(message)
});

export const plan = shape<IPlan>({
  type: oneOf('plan'),
  life_id: text,
  request_id: text,
  complete: flag,
  items: list(item),
  shared: list(shared),
  message
});

export const cleanup = shape<ICleanup>({
  type: oneOf('cleanup'),
  life_id: text,
  request_id: text,
  code: nullable(text),
  message
});

export const released = shape<IReleased>({
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
  items: list(releasedItem),
  still_held: list(holder),
  undo: list(text),
  message
});
