/**
 * How a frame stands with its kernel: a pure state machine. What an effect asks for
 * is done by `connection.ts`, and what came of it is the next event.
 *
 * A frame is told what happens while a cell runs, and asks at rest: one message at
 * a time, and only while somebody looks or waits for an answer. Times are milliseconds
 * of this page's clock.
 */
import type {
  Event,
  ICell,
  IChangedCell,
  IFrameEnvelope,
  Reply
} from '../protocol';

/** A kernel at rest answers within this, once it has a message. */
const ANSWER_MS = 2000;

/** A message that has not arrived by then never will. */
const DELIVERY_MS = 10_000;

/** A cell that runs tells of itself at least this often, unless it keeps the GIL. */
const SILENCE_MS = 8000;

/** Channels tried one after the other before the kernel is given up. */
const MOST_TRIES = 3;
const PAUSE_MS = 500;
const MOST_PAUSE_MS = 300_000;

/** Between two polls, and at most while nothing changes. */
const POLL_MS = 2000;
const MOST_POLL_MS = 5000;
const BACK_OFF = 1.5;

/** Without a cell for so long, nothing is asked until a person wants it. */
const IDLE_MS = 600_000;

/**
 * Where a frame stands with its kernel.
 *
 * - `opening`: nothing was heard yet
 * - `live`: the helper answers, or tells of the cell that runs
 * - `paused`: no cell ran for long, and nothing is asked
 * - `lost`: no answer comes; it is tried again
 * - `restarted`: the kernel has no helper any more
 */
export type Link = 'opening' | 'live' | 'paused' | 'lost' | 'restarted';

/** What the kernel was asked: when, and when that had arrived. */
interface ISent {
  /** Of all that was sent, upward. */
  readonly number: number;
  readonly sentAt: number;
  readonly arrivedAt: number | null;
}

/** The channel in use; `sent`: what has not been answered on it yet. */
interface IUsed {
  readonly kind: 'opening' | 'open';
  readonly number: number;
  readonly sent: ISent | null;
}

type Line =
  | IUsed
  /** Another is opened then. */
  | { readonly kind: 'none'; readonly retryAt: number }
  /** The kernel has no helper for one. */
  | { readonly kind: 'gone' };

export interface IContact {
  /** Whether somebody looks: else nothing is asked. */
  readonly isLooked: boolean;
  /** The life of the helper that answers; `null`: none has yet. */
  readonly lifeId: string | null;
  /** The cell that runs, else the last one. */
  readonly cell: ICell | null;
  /** Whether a cell runs, as far as is known. */
  readonly isBusy: boolean;
  /** The last reading, to see whether anything changed. */
  readonly told: string;
  /** When a cell ran last, or a person wanted something. */
  readonly awakeAt: number;
  readonly pollAt: number;
  readonly every_ms: number;
  readonly line: Line;
  /** Channels opened since something was heard. */
  readonly tries: number;
  /** Of what was sent last; of the last of these that was answered. */
  readonly number: number;
  readonly answered: number;
  /** The newest channel that was ever heard. */
  readonly proven: number;
  /** Whether what was asked before that one is to be asked again. */
  readonly isAgain: boolean;
  /** Asking without a channel: under way, or answered and no channel heard since. */
  readonly call: 'none' | 'under way' | 'answered';
  readonly heardAt: number | null;
  /** When something was sent that nothing was heard after. */
  readonly waitsSince: number | null;
}

/** What happened, or what is wanted. */
export type ContactEvent =
  | { type: 'looked'; isLooked: boolean }
  /** A person wants to go on. */
  | { type: 'resumed' }
  /** Time went on; `asked`: after what the next question was asked. */
  | { type: 'tick'; asked: number | null }
  /** The kernel has what was sent. */
  | { type: 'arrived'; number: number }
  /** `line`: 0 for what comes without a channel; `events`: those not heard before. */
  | {
      type: 'heard';
      line: number;
      envelope: IFrameEnvelope;
      events: readonly Event[];
    }
  | { type: 'called'; isAnswered: boolean }
  /** A channel has ended: the helper has gone, or knows this frame no more. */
  | { type: 'closed'; line: number };

/** What is to be done, in order. */
export type Effect =
  | { type: 'open'; line: number }
  /** `isQuestion`: the next one goes with it. */
  | { type: 'send'; line: number; poll: number; isQuestion: boolean }
  | { type: 'call' }
  /** Questions without a reply came to nothing. */
  | { type: 'again' }
  /** The life that was asked is over. */
  | { type: 'fail' }
  | { type: 'reply'; reply: Reply; fixed: readonly IChangedCell[] | null }
  | { type: 'life'; lifeId: string }
  | { type: 'event'; event: Event };

type Next = readonly [IContact, readonly Effect[]];

export function contactFrom(now: number): IContact {
  return {
    isLooked: false,
    lifeId: null,
    cell: null,
    isBusy: false,
    told: '',
    awakeAt: now,
    pollAt: 0,
    every_ms: POLL_MS,
    line: { kind: 'none', retryAt: 0 },
    tries: 0,
    number: 0,
    answered: 0,
    proven: 0,
    isAgain: false,
    call: 'none',
    heardAt: null,
    waitsSince: null
  };
}

export function linkOf(contact: IContact, now: number): Link {
  if (contact.line.kind === 'gone') {
    return 'restarted';
  }
  if (contact.heardAt === null) {
    return 'opening';
  }
  if (isLost(contact, now)) {
    return 'lost';
  }
  return isPaused(contact, now) ? 'paused' : 'live';
}

/** Whether it is time to ask how things stand. */
export function isDue({ pollAt }: IContact, now: number): boolean {
  return now >= pollAt;
}

/**
 * The state after an event, and what is to be done.
 */
export function contacting(
  contact: IContact,
  event: ContactEvent,
  now: number
): Next {
  switch (event.type) {
    case 'tick':
      return advanced(contact, event.asked, now);
    case 'heard':
      return heard(contact, event, now);
    case 'closed':
      return closed(contact, event.line, now);
    case 'looked':
      return [
        event.isLooked ? looked(contact, now) : { ...contact, isLooked: false },
        []
      ];
    case 'resumed':
      return [resumed(contact, now), []];
    case 'arrived':
      return [arrived(contact, event.number, now), []];
    case 'called':
      return [{ ...contact, call: event.isAnswered ? 'answered' : 'none' }, []];
  }
}

function looked(contact: IContact, now: number): IContact {
  const { heardAt, line } = contact;
  const next: IContact = {
    ...contact,
    isLooked: true,
    // Time that nobody looked at is no sign of anything.
    waitsSince: null,
    heardAt: heardAt === null ? null : now,
    pollAt: now
  };
  return line.kind === 'gone' ? resumed(next, now) : next;
}

function resumed(contact: IContact, now: number): IContact {
  const next = { ...contact, awakeAt: now, pollAt: now };
  return next.line.kind === 'gone' || isLost(next, now)
    ? retried({ ...next, tries: 0, waitsSince: null }, now)
    : next;
}

function arrived(contact: IContact, number: number, now: number): IContact {
  const { line } = contact;
  return 'sent' in line && line.sent?.number === number
    ? { ...contact, line: { ...line, sent: { ...line.sent, arrivedAt: now } } }
    : contact;
}

function closed(contact: IContact, number: number, now: number): Next {
  const { line, tries } = contact;
  if (!('number' in line) || line.number !== number) {
    return [contact, []];
  }
  return tries < MOST_TRIES
    ? [retried(contact, now), []]
    : [{ ...contact, line: { kind: 'gone' } }, [{ type: 'fail' }]];
}

// --- What is to be done now

function advanced(contact: IContact, asked: number | null, now: number): Next {
  // What was asked for while somebody looked goes on when nobody does any more.
  const isWanted = contact.isLooked || (asked ?? 0) > 0;
  if (!isWanted || contact.line.kind === 'gone') {
    return [contact, []];
  }
  if (contact.isAgain) {
    // What to do follows once they are.
    return [{ ...contact, isAgain: false }, [{ type: 'again' }]];
  }
  const [next, effects] = onLine(
    isSilent(contact, now) ? retried(contact, now) : contact,
    asked,
    now
  );
  return asked !== null && isCallable(next, now)
    ? [{ ...next, call: 'under way' }, [...effects, { type: 'call' }]]
    : [next, effects];
}

function onLine(contact: IContact, asked: number | null, now: number): Next {
  const { line } = contact;
  if (line.kind === 'none' && now >= line.retryAt) {
    const next = sent({ ...contact, tries: contact.tries + 1 }, null, now);
    return [next, [{ type: 'open', line: next.number }]];
  }
  return line.kind === 'open' && line.sent === null
    ? said(contact, line, asked, now)
    : [contact, []];
}

/**
 * Send the next question, or a poll when it is time for one.
 *
 * What the kernel has cannot be taken back, and cells may wait before it that this
 * frame knows nothing of: a question goes out once a poll after it was answered.
 */
function said(
  contact: IContact,
  line: IUsed,
  asked: number | null,
  now: number
): Next {
  const isAsked = asked !== null && !contact.isBusy;
  if (!isAsked && (!isDue(contact, now) || isPaused(contact, now))) {
    return [contact, []];
  }
  const isQuestion = isAsked && asked < contact.answered;
  const next = sent(contact, line.number, now);
  const poll = next.number;
  return [next, [{ type: 'send', line: line.number, poll, isQuestion }]];
}

/** Another channel is to be opened, after a pause that grows. */
function retried(contact: IContact, now: number): IContact {
  const { tries } = contact;
  const pause =
    tries <= MOST_TRIES
      ? tries * PAUSE_MS
      : Math.min((tries - MOST_TRIES) * DELIVERY_MS, MOST_PAUSE_MS);
  return { ...contact, line: { kind: 'none', retryAt: now + pause } };
}

/** @param line - on which it goes; `null`: it opens one */
function sent(contact: IContact, line: number | null, now: number): IContact {
  const number = contact.number + 1;
  return {
    ...contact,
    number,
    line: {
      kind: line === null ? 'opening' : 'open',
      number: line ?? number,
      sent: { number, sentAt: now, arrivedAt: null }
    },
    waitsSince: contact.waitsSince ?? now
  };
}

// --- What is heard

function heard(
  contact: IContact,
  { envelope, events, line }: Extract<ContactEvent, { type: 'heard' }>,
  now: number
): Next {
  const { fixed, life_id: lifeId, poll, reply } = envelope;
  const isNew = lifeId !== contact.lifeId;
  const known = isNew ? begun(contact, lifeId, now) : contact;
  const found = proven(known, line);
  const told = answered(found, poll);
  const next = events.reduce(learned, told);
  const isAnswer = told !== found;
  const every_ms =
    next.told !== known.told
      ? POLL_MS
      : isAnswer
        ? Math.min(next.every_ms * BACK_OFF, MOST_POLL_MS)
        : next.every_ms;
  const isRead = events.some(({ type }) => type === 'sample');
  return [
    {
      ...next,
      tries: 0,
      heardAt: now,
      waitsSince: null,
      awakeAt: next.isBusy ? now : next.awakeAt,
      every_ms,
      // A question may be answered without a reading: that is asked for at once.
      pollAt: isAnswer && !isRead ? now : now + every_ms
    },
    [
      ...(isNew && contact.lifeId !== null ? [{ type: 'fail' } as const] : []),
      // Before anybody asks for more.
      ...(reply ? [{ type: 'reply', reply, fixed } as const] : []),
      ...(isNew ? [{ type: 'life', lifeId } as const] : []),
      ...events.map(event => ({ type: 'event', event }) as const)
    ]
  ];
}

/** Another life of the helper, of which nothing is known. */
function begun(contact: IContact, lifeId: string, now: number): IContact {
  const nothing = { cell: null, told: '', isBusy: false };
  return { ...contact, ...nothing, lifeId, awakeAt: now };
}

/** A channel that is heard is the one to use, unless a newer one is. */
function proven(contact: IContact, number: number): IContact {
  const { line } = contact;
  if (number === 0) {
    return line.kind === 'gone'
      ? { ...contact, line: { kind: 'none', retryAt: 0 } }
      : contact;
  }
  const isUsed = !('number' in line) || number >= line.number;
  const sent = line.kind === 'open' ? line.sent : null;
  return {
    ...contact,
    ...(isUsed && { line: { kind: 'open', number, sent } }),
    ...(number > contact.proven && {
      proven: number,
      answered: number,
      isAgain: true,
      call: contact.call === 'answered' ? 'none' : contact.call
    })
  };
}

/** Who answers is at rest, unless a reading says otherwise. */
function answered(contact: IContact, poll: number | null): IContact {
  const { line } = contact;
  return poll !== null && line.kind === 'open' && line.sent?.number === poll
    ? {
        ...contact,
        answered: poll,
        isBusy: false,
        line: { ...line, sent: null }
      }
    : contact;
}

/** What an event says of cells, and of the memory. */
function learned(contact: IContact, event: Event): IContact {
  switch (event.type) {
    case 'sample': {
      const { busy, devices, queued, state } = event;
      const told = JSON.stringify([state, busy, devices, queued]);
      return { ...contact, told, isBusy: busy };
    }
    case 'cell':
      return { ...contact, cell: event, isBusy: event.status === 'running' };
    default:
      return contact;
  }
}

// --- What that means

/** Whether an answer should have come that did not. */
function isSilent(contact: IContact, now: number): boolean {
  const { line } = contact;
  if (!('sent' in line) || line.sent === null || isExcused(contact, now)) {
    return false;
  }
  const { arrivedAt, sentAt } = line.sent;
  // Whatever is heard is a sign of life.
  const since = Math.max(arrivedAt ?? sentAt, contact.heardAt ?? 0);
  return now - since >= (arrivedAt === null ? DELIVERY_MS : ANSWER_MS);
}

/** Whether a cell runs that may keep the kernel from answering. */
function isExcused({ heardAt, isBusy }: IContact, now: number): boolean {
  return isBusy && now - (heardAt ?? 0) < SILENCE_MS;
}

function isLost(contact: IContact, now: number): boolean {
  const { waitsSince } = contact;
  return (
    waitsSince !== null &&
    now - waitsSince >= DELIVERY_MS &&
    !isExcused(contact, now)
  );
}

function isPaused({ awakeAt, isBusy }: IContact, now: number): boolean {
  return now - awakeAt >= IDLE_MS && !isBusy;
}

/** Whether a question is to be put without a channel. */
function isCallable(contact: IContact, now: number): boolean {
  const { call, isBusy, line } = contact;
  return (
    !isBusy &&
    line.kind !== 'open' &&
    (call === 'answered' || (call === 'none' && isLost(contact, now)))
  );
}
