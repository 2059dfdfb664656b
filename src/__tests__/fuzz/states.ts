import { INITIAL_STATE, reduce } from '../../memory/model';
import type { IMemoryState } from '../../memory/state';
import { parseEvent, parseReply } from '../../protocol';
import type { Event, Reply } from '../../protocol';
import { Maker } from './maker';

export const HELPER_ID = 'helper-1';

/** A state, and the message that has just arrived. */
interface IStep {
  readonly state: IMemoryState;
  readonly event: Event | null;
  readonly reply: Reply | null;
  readonly now: number;
}

/** States of a kernel from which messages of all kinds arrive. */
export function* statesOf(make: Maker, count: number): Generator<IStep> {
  const events = make.kinds('event');
  const replies = make.kinds('reply');
  let state = INITIAL_STATE;
  let now = 1e12;
  for (let left = count; left > 0; left--) {
    now += 1000 * make.random();
    const event = parseEvent(messageOf(make, events));
    const reply = make.happens(0.3)
      ? parseReply(messageOf(make, replies))
      : null;
    state = changed(state, event, reply, now);
    yield { state, event, reply, now };
  }
}

/** A message of a kind, valid or not, of this helper or another. */
function messageOf(make: Maker, kinds: readonly string[]): unknown {
  const found = make.valid(make.choice(kinds));
  const ours = make.happens(0.9) ? { ...found, helper_id: HELPER_ID } : found;
  return make.happens(0.5)
    ? make.spoilt('helper_id' in found ? ours : found)
    : ours;
}

function changed(
  state: IMemoryState,
  event: Event | null,
  reply: Reply | null,
  now: number
): IMemoryState {
  const before = state.phase === 'live' ? state : attached(state, now);
  const received = event
    ? reduce(before, { kind: 'event', event, now })
    : before;
  switch (reply?.type) {
    case 'attach':
      return reduce(received, {
        kind: 'attached',
        reply: withHelperId(reply),
        now
      });
    case 'sample':
      return reduce(received, { kind: 'polled', reply, now });
    case 'cells':
      return reduce(received, {
        kind: 'recalled',
        runs: reply.runs,
        points: []
      });
    case 'history':
      return reduce(received, {
        kind: 'recalled',
        runs: [],
        points: reply.points
      });
    default:
      return received;
  }
}

type Attach = Extract<Reply, { type: 'attach' }>;

function withHelperId(reply: Attach): Attach {
  return { ...reply, hello: { ...reply.hello, helper_id: HELPER_ID } };
}

function attached(state: IMemoryState, now: number): IMemoryState {
  const maker = new Maker(now);
  const reply = parseReply(maker.valid('attach_reply')) as Attach;
  return reduce(state, { kind: 'attached', reply: withHelperId(reply), now });
}
