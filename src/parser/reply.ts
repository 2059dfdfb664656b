import type { IEdit, IRefused, IReplies } from '../protocol';
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
import { cell } from './cell';
import { hello, sample } from './event';
import { holders } from './holders';
import { historyPoint } from './memory';
import { message } from './message';
import { released } from './release';
import { report } from './report';

const edit = shape<IEdit>({
  cell_id: text,
  first_line: count,
  old_lines: list(text),
  new_lines: list(text)
});

const queued = oneOf('queued', 'waiting');

/** The check of each kind of reply: a kind without one does not compile. */
export const REPLIES: { [K in keyof IReplies]: Check<IReplies[K]> } & {
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
  plan: shape({ type: oneOf('plan'), id: text, status: queued }),
  holders: shape({
    type: oneOf('holders'),
    id: text,
    status: queued,
    last: nullable(holders)
  }),
  path: shape({ type: oneOf('path'), id: text, status: queued }),
  cells: shape({ type: oneOf('cells'), id: text, runs: list(cell) }),
  history: shape({
    type: oneOf('history'),
    id: text,
    points: list(historyPoint)
  }),
  snapshot: shape({ type: oneOf('snapshot'), id: text, status: queued }),
  release: shape({
    type: oneOf('release'),
    id: text,
    release_id: text,
    status: queued
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
    edits: list(edit),
    run: list(text),
    message
  }),
  cleanup: shape({ type: oneOf('cleanup'), id: text, status: queued }),
  presence: shape({
    type: oneOf('presence'),
    id: text,
    sample: nullable(sample),
    idle_since_s: nullable(number)
  }),
  pack: shape({ type: oneOf('pack'), id: text, accepted: flag }),
  refused: shape({ type: oneOf('refused'), id: text, message })
};
