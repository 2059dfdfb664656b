import type { IItem, IPlan, IReleased, ItemId } from '../protocol';
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

export const itemId = oneOf<ItemId>('traceback', 'outputs', 'garbage', 'cache');

const item = shape<IItem>({
  id: itemId,
  title: message,
  cost: message,
  expected_bytes: nullable(count),
  safe: flag
});

export const plan = shape<IPlan>({
  type: oneOf('plan'),
  life_id: text,
  request_id: text,
  items: list(item),
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
  items: list(
    shape<IReleased['items'][number]>({
      id: itemId,
      freed_bytes: nullable(integer)
    })
  ),
  still_held: list(holder),
  message
});
