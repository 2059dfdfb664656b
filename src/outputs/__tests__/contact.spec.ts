import { SAMPLE } from '../../__tests__/samples';
import type { Event, IFrameEnvelope } from '../../protocol';
import {
  contactFrom,
  type ContactEvent,
  contacting,
  type Effect,
  type IContact,
  linkOf
} from '../contact';

const SECOND = 1000;

const REST: Event = { ...SAMPLE, life_id: 'life-1', busy: false };
const BUSY: Event = { ...REST, busy: true };

/** What came on a line; `poll`: the message that it answers. */
function heard(
  line: number,
  events: readonly Event[] = [],
  more: Partial<IFrameEnvelope> = {}
): ContactEvent {
  const envelope = {
    life_id: 'life-1',
    poll: null,
    reply: null,
    fixed: null,
    events: [],
    ...more
  };
  return { type: 'heard', line, envelope, events };
}

const tick = (asked: number | null = null): ContactEvent => ({
  type: 'tick',
  asked
});

const LOOKED: ContactEvent = { type: 'looked', isLooked: true };

describe('contacting', () => {
  let contact: IContact;
  let now: number;

  /** Let events happen at once; returns what is to be done. */
  const take = (...events: readonly ContactEvent[]): readonly Effect[] =>
    events.flatMap(event => {
      const [next, effects] = contacting(contact, event, now);
      contact = next;
      return effects;
    });

  const after = (ms: number): void => {
    now += ms;
  };

  const kindsOf = (effects: readonly Effect[]): string[] =>
    effects.map(({ type }) => type);

  /** Somebody looks, and the helper has answered: channel 1 is open, 2 was sent. */
  const live = (): void => {
    take(LOOKED, tick(), { type: 'arrived', number: 1 });
    take(heard(1, [REST]), tick());
    after(2 * SECOND);
    take(tick(), { type: 'arrived', number: 2 });
  };

  beforeEach(() => {
    now = 1_000_000;
    contact = contactFrom(now);
  });

  it('should do nothing before somebody looks', () => {
    after(60 * SECOND);
    expect(take(tick(), tick(0))).toEqual([]);
    expect(linkOf(contact, now)).toBe('opening');
  });

  it('should open a channel once somebody looks, and no second', () => {
    expect(take(LOOKED, tick())).toEqual([{ type: 'open', line: 1 }]);
    expect(take(tick())).toEqual([]);
  });

  it('should change nothing that it was given', () => {
    const before = Object.freeze({ ...contact });
    const [next] = contacting(before, LOOKED, now);
    expect(before).toEqual(contactFrom(now));
    expect(next).not.toBe(before);
  });

  it('should tell of a life, and of events in their order', () => {
    take(LOOKED, tick());
    expect(take(heard(1, [REST]))).toEqual([
      { type: 'life', lifeId: 'life-1' },
      { type: 'event', event: REST }
    ]);
    expect(kindsOf(take(heard(1, [BUSY])))).toEqual(['event']);
    expect(linkOf(contact, now)).toBe('live');
  });

  it('should give up what was asked of another life, before it tells of the next', () => {
    live();
    const effects = take(heard(1, [REST], { life_id: 'life-2' }));
    expect(kindsOf(effects)).toEqual(['fail', 'life', 'event']);
  });

  it('should hand on a reply before anybody can ask for more', () => {
    take(LOOKED, tick());
    const reply = { type: 'detach', id: 'a' } as const;
    expect(kindsOf(take(heard(1, [], { reply })))).toEqual(['reply', 'life']);
  });

  it('should send a question only once a poll after it was answered', () => {
    live();
    take(heard(1, [REST], { poll: 2 }));
    const asked = contact.number;
    expect(take(tick(asked))).toEqual([
      { type: 'send', line: 1, poll: 3, isQuestion: false }
    ]);
    take(heard(1, [REST], { poll: 3 }));
    expect(take(tick(asked))).toEqual([
      { type: 'send', line: 1, poll: 4, isQuestion: true }
    ]);
  });

  it('should send nothing while an answer is awaited, or a cell runs', () => {
    live();
    expect(take(tick(0))).toEqual([]);
    take(heard(1, [BUSY], { poll: 2 }));
    expect(contact.isBusy).toBe(true);
    expect(take(tick(0))).toEqual([]);
  });

  it.each([
    ['two seconds after a message arrived', true, 2 * SECOND],
    ['ten seconds after one that did not', false, 10 * SECOND]
  ])('should open another channel %s', (_, hasArrived, ms) => {
    take(LOOKED, tick(), heard(1, [REST]), tick());
    after(2 * SECOND);
    take(
      tick(),
      ...(hasArrived ? [{ type: 'arrived', number: 2 } as const] : [])
    );
    after(ms - 1);
    expect(take(tick())).toEqual([]);
    after(1);
    expect(take(tick())).toEqual([{ type: 'open', line: 3 }]);
  });

  it('should excuse silence while a cell runs, for eight seconds', () => {
    live();
    take(heard(1, [BUSY]));
    after(7 * SECOND);
    expect(take(tick())).toEqual([]);
    after(2 * SECOND);
    expect(kindsOf(take(tick()))).toEqual(['open']);
  });

  it('should ask again what came to nothing, once a new channel is heard', () => {
    live();
    after(2 * SECOND);
    take(tick());
    expect(take(heard(3, [REST]))).toEqual([{ type: 'event', event: REST }]);
    expect(take(tick())).toEqual([{ type: 'again' }]);
  });

  it('should not leave a newer channel for an older one that is heard late', () => {
    live();
    after(2 * SECOND);
    take(tick(), heard(3, [REST]), tick(), heard(1, [REST]));
    expect(contact.line).toMatchObject({ kind: 'open', number: 3 });
  });

  it('should open three channels, and then say that the kernel has no helper', () => {
    live();
    expect(kindsOf(take({ type: 'closed', line: 1 }, tick()))).toEqual([
      'open'
    ]);
    for (const tries of [1, 2]) {
      take({ type: 'closed', line: contact.number });
      expect(take(tick())).toEqual([]);
      after(tries * 500);
      expect(kindsOf(take(tick()))).toEqual(['open']);
    }
    expect(take({ type: 'closed', line: contact.number })).toEqual([
      { type: 'fail' }
    ]);
    expect(linkOf(contact, now)).toBe('restarted');
    expect(take(tick(0))).toEqual([]);
  });

  it('should not care for the end of a channel that is not in use', () => {
    live();
    after(2 * SECOND);
    take(tick());
    expect(take({ type: 'closed', line: 1 })).toEqual([]);
    expect(contact.line).toMatchObject({ kind: 'opening', number: 3 });
  });

  it('should begin anew when a person wants it, or looks again', () => {
    live();
    contact = { ...contact, line: { kind: 'gone' } };
    expect(kindsOf(take({ type: 'resumed' }, tick()))).toEqual(['open']);
    contact = { ...contact, line: { kind: 'gone' } };
    take({ type: 'looked', isLooked: false });
    expect(kindsOf(take(LOOKED, tick()))).toEqual(['open']);
  });

  it('should be told by what comes without a channel that there is a helper', () => {
    live();
    contact = { ...contact, line: { kind: 'gone' } };
    take(heard(0, [REST]));
    expect(linkOf(contact, now)).toBe('live');
    expect(kindsOf(take(tick()))).toEqual(['open']);
  });

  it('should call where no channel can be had, one question at a time', () => {
    take(LOOKED, tick());
    after(10 * SECOND);
    expect(kindsOf(take(tick(0)))).toEqual(['call']);
    expect(take(tick(0))).toEqual([]);
    take({ type: 'called', isAnswered: true });
    expect(kindsOf(take(tick(0)))).toContain('call');
  });

  it('should call no more once a channel is heard', () => {
    take(LOOKED, tick());
    after(10 * SECOND);
    take(tick(0), { type: 'called', isAnswered: true });
    take(tick());
    after(SECOND);
    take(tick());
    take(heard(contact.number, [REST]), tick());
    expect(kindsOf(take(tick(0)))).toEqual(['send']);
  });

  it('should say that it is lost, and paused', () => {
    live();
    after(10 * SECOND);
    expect(linkOf(contact, now)).toBe('lost');
    take(heard(1, [REST], { poll: 2 }));
    expect(linkOf(contact, now)).toBe('live');
    after(600 * SECOND);
    expect(linkOf(contact, now)).toBe('paused');
  });
});
