import { SAMPLE } from '../../__tests__/samples';
import type { Event, IReleased } from '../../protocol';
import { Connection } from '../connection';
import type { Question } from '../question';
import { FakeKernel } from './fakekernel';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('Connection', () => {
  let kernel: FakeKernel;
  let connection: Connection;
  let events: Event[];
  let helperIds: string[];

  const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

  beforeEach(() => {
    jest.useFakeTimers();
    kernel = new FakeKernel();
    connection = new Connection(kernel, 'output-1', 'helper-1');
    events = [];
    helperIds = [];
    connection.listener = {
      onHelper: id => helperIds.push(id),
      onEvent: event => events.push(event),
      onAgain: () => undefined,
      onChange: () => undefined
    };
  });

  afterEach(() => {
    connection.end();
    jest.useRealTimers();
  });

  const release = (): Question<IReleased> =>
    connection.perform('release', {
      items: null,
      confirmed: [],
      report_id: null
    });

  const free = ({ id }: { id: string }): object => ({
    reply: { type: 'release', id, release_id: 'r-1', status: 'queued' },
    events: [
      {
        type: 'released',
        helper_id: 'helper-1',
        release_id: 'r-1',
        status: 'done'
      }
    ]
  });

  /** The sentence that a failed question rejects with. */
  const sentenceOf = ({
    result
  }: ReturnType<typeof release>): Promise<string> =>
    result.then(
      () => 'a result',
      (reason: unknown) => (reason as Error).message
    );

  describe('at rest', () => {
    it('should be live once the helper has replied', async () => {
      expect(connection.link).toBe('opening');
      connection.look(true);
      await pass(0);
      expect(connection.link).toBe('live');
      expect(helperIds).toEqual(['helper-1']);
    });

    it('should poll every two seconds, and less often while nothing changes', async () => {
      connection.look(true);
      await pass(MINUTE);
      expect(kernel.polls).toBeGreaterThanOrEqual(MINUTE / (5.5 * SECOND));
      expect(kernel.polls).toBeLessThanOrEqual(MINUTE / (4 * SECOND));
    });

    it('should poll no more often than every two seconds while readings change', async () => {
      connection.look(true);
      let queued = 0;
      jest.spyOn(kernel, 'sample').mockImplementation(() => ({
        ...SAMPLE,
        seq: ++queued,
        queued: [`${queued}`]
      }));
      await pass(MINUTE);
      expect(kernel.polls).toBeGreaterThan(20);
      expect(kernel.polls).toBeLessThanOrEqual(30);
    });

    it('should have one message in progress at a time', async () => {
      connection.look(true);
      await pass(SECOND);
      kernel.begin();
      for (let times = 0; times < 20; times++) {
        await pass(3 * SECOND);
        kernel.push(kernel.sample());
      }
      expect(kernel.polls).toBe(1);
    });

    it('should send nothing while the output is not visible', async () => {
      connection.look(true);
      await pass(5 * SECOND);
      connection.look(false);
      const before = kernel.said.length;
      await pass(5 * MINUTE);
      expect(kernel.said).toHaveLength(before);
      connection.look(true);
      await pass(0);
      expect(kernel.said).toHaveLength(before + 1);
    });

    it('should be separate for an output that is shown twice', async () => {
      const again = new Connection(kernel, 'output-1', 'helper-1');
      connection.look(true);
      again.look(true);
      await pass(0);
      again.end();
      expect(new Set(kernel.opened).size).toBe(2);
      kernel.opened.forEach(uid => {
        expect(uid).toMatch(/^output-1\//);
      });
    });

    it('should open nothing before the output is visible', async () => {
      await pass(MINUTE);
      expect(kernel.wires).toHaveLength(0);
    });

    it('should pause after ten minutes without a cell, until resumed', async () => {
      connection.look(true);
      await pass(10 * MINUTE);
      expect(connection.link).toBe('paused');
      const before = kernel.said.length;
      await pass(10 * MINUTE);
      expect(kernel.said).toHaveLength(before);
      connection.resume();
      await pass(0);
      expect(connection.link).toBe('live');
      expect(kernel.said).toHaveLength(before + 1);
    });

    it('should not pause while cells run', async () => {
      connection.look(true);
      await pass(5 * MINUTE);
      kernel.begin();
      kernel.end();
      await pass(6 * MINUTE);
      expect(connection.link).toBe('live');
    });
  });

  describe('events', () => {
    it('should be handled once, and acknowledged', async () => {
      connection.look(true);
      await pass(0);
      const warning = { type: 'warning', helper_id: 'helper-1' };
      const empty = {
        helper_id: 'helper-1',
        poll: null,
        reply: null,
        fixed: null
      };
      kernel.wire.push({ ...empty, events: [[40, warning]] });
      kernel.wire.push({ ...empty, events: [[40, warning]] });
      await pass(10 * SECOND);
      expect(events.filter(({ type }) => type === 'warning')).toHaveLength(1);
      expect(kernel.wire.said[0]?.seen).toBe(40);
    });

    it('should be received from the cell of the output itself, before any channel', async () => {
      kernel.state = 'busy';
      connection.look(true);
      await pass(SECOND);
      kernel.beacon(kernel.envelope([kernel.sample()]));
      await pass(0);
      expect(connection.link).toBe('live');
      expect(connection.isBusy).toBe(true);
      for (let second = 0; second < 60; second++) {
        await pass(SECOND);
        kernel.beacon(kernel.envelope([kernel.sample()]));
      }
      expect(connection.link).toBe('live');
      expect(kernel.wires).toHaveLength(1);
    });

    it.each([
      ['nothing', undefined],
      ['null', null],
      ['a text', 'x'],
      ['a list', []],
      ['no events', { helper_id: 'helper-1', events: {} }]
    ])('should be ignored if %s arrived', async (_, data) => {
      connection.look(true);
      await pass(0);
      kernel.wire.push(data);
      await pass(SECOND);
      expect(connection.link).toBe('live');
    });
  });

  describe('an invalid one', () => {
    let warn: jest.SpyInstance;

    beforeEach(async () => {
      warn = jest.spyOn(console, 'warn').mockImplementation();
      connection.look(true);
      await pass(0);
    });

    afterEach(() => {
      warn.mockRestore();
    });

    const warned = (reason: unknown): void => {
      expect(warn).toHaveBeenCalledWith(
        'GPU Headroom: a message was not understood',
        reason
      );
    };

    it('should not affect others that arrived with it, if it has no message', async () => {
      const question = release();
      const failed = sentenceOf(question);
      await pass(SECOND);
      const warning = { type: 'warning', helper_id: 'helper-1' };
      const { id } = question;
      const bad = { type: 'error', helper_id: 'helper-1', request_id: id };
      kernel.push(bad, warning);
      await pass(SECOND);
      warned(expect.any(TypeError));
      expect(events).toContainEqual(warning);
      kernel.push({ ...bad, message: { text: 'No.' } });
      await expect(failed).resolves.toBe('No.');
      expect(kernel.wires).toHaveLength(1);
    });

    it('should not affect others on its channel, whichever handler fails', async () => {
      const bad = new Error('no template');
      connection.listener = {
        onHelper: () => undefined,
        onEvent: () => {
          throw bad;
        },
        onAgain: () => undefined,
        onChange: () => undefined
      };
      kernel.push(kernel.sample());
      kernel.push(null as unknown as object);
      await pass(0);
      warned(bad);
      kernel.begin();
      await pass(0);
      expect(connection.isBusy).toBe(true);
      expect(kernel.wires).toHaveLength(1);
    });
  });

  describe('a request of the user', () => {
    /** Request a release while a cell runs, so that it waits. */
    const releaseBesideCell = async (): Promise<ReturnType<typeof release>> => {
      kernel.onRequest = free as FakeKernel['onRequest'];
      connection.look(true);
      await pass(0);
      kernel.begin();
      await pass(0);
      return release();
    };

    it('should end with the event of its result', async () => {
      kernel.onRequest = free as FakeKernel['onRequest'];
      connection.look(true);
      const question = release();
      await pass(1);
      await expect(question.result).resolves.toMatchObject({ status: 'done' });
    });

    it('should end with a sentence if the helper refuses', async () => {
      kernel.onRequest = ({ id }) => ({
        reply: { type: 'refused', id, message: { text: 'No such item.' } }
      });
      connection.look(true);
      const question = release();
      const failed = sentenceOf(question);
      await pass(1);
      await expect(failed).resolves.toBe('No such item.');
    });

    it('should be kept here while a cell runs', async () => {
      const question = await releaseBesideCell();
      for (let second = 0; second < 20; second++) {
        await pass(SECOND);
        kernel.push(kernel.sample());
      }
      expect(kernel.requests).toEqual([]);
      expect(question.isSent).toBe(false);
      kernel.end();
      await pass(0);
      await expect(question.result).resolves.toMatchObject({ status: 'done' });
    });

    it('should be sent when the cell has ended, even if the output is hidden', async () => {
      const question = await releaseBesideCell();
      connection.look(false);
      await pass(SECOND);
      expect(question.isSent).toBe(false);
      kernel.end();
      await pass(0);
      await expect(question.result).resolves.toMatchObject({ status: 'done' });
      const before = kernel.said.length;
      await pass(5 * MINUTE);
      expect(kernel.said).toHaveLength(before);
    });

    it.each([
      ['that it was sent', true],
      ['that was not sent', false]
    ])('should be canceled if it waits for a cell %s', async (_, isTold) => {
      connection.look(true);
      await pass(0);
      kernel.state = 'busy';
      if (isTold) {
        kernel.push(kernel.sample());
      }
      await pass(0);
      const question = release();
      const failed = sentenceOf(question);
      await pass(SECOND);
      question.cancel();
      await expect(failed).resolves.toBe('');
      kernel.end();
      await pass(10 * SECOND);
      expect(kernel.requests).toEqual([]);
    });

    it('should be sent again on the next channel if the first was dropped', async () => {
      kernel.onRequest = free as FakeKernel['onRequest'];
      connection.look(true);
      await pass(0);
      kernel.state = 'silent';
      const question = release();
      await pass(SECOND);
      kernel.state = 'rest';
      await pass(5 * SECOND);
      await expect(question.result).resolves.toMatchObject({ status: 'done' });
      expect(kernel.requests).toEqual(['release']);
    });

    it('should be sent again if a channel was dropped together with it', async () => {
      kernel.onRequest = free as FakeKernel['onRequest'];
      connection.look(true);
      await pass(0);
      const hear = kernel.hear.bind(kernel);
      jest.spyOn(kernel, 'hear').mockImplementation((wire, said) => {
        if (said?.request && kernel.requests.length === 1) {
          kernel.state = 'silent';
          setTimeout(() => {
            kernel.state = 'rest';
          }, SECOND);
        }
        hear(wire, said);
      });
      const question = release();
      await pass(6 * SECOND);
      await expect(question.result).resolves.toMatchObject({ status: 'done' });
      expect(kernel.requests).toEqual(['release', 'release']);
    });

    it('should not be sent twice to a slow kernel', async () => {
      kernel.onRequest = free as FakeKernel['onRequest'];
      connection.look(true);
      await pass(0);
      kernel.state = 'busy';
      const question = release();
      await pass(6 * SECOND);
      kernel.end();
      await pass(5 * SECOND);
      await expect(question.result).resolves.toMatchObject({ status: 'done' });
      expect(kernel.requests).toEqual(['release']);
    });

    it('should send requests by call where no channel ever gets a reply', async () => {
      kernel.state = 'deaf';
      kernel.onRequest = free as FakeKernel['onRequest'];
      connection.look(true);
      const question = release();
      await pass(15 * SECOND);
      await expect(question.result).resolves.toMatchObject({ status: 'done' });
      expect(kernel.called).toHaveLength(1);
      const next = release();
      await pass(SECOND);
      await expect(next.result).resolves.toMatchObject({ status: 'done' });
    });

    it('should go by a channel again, once it receives one', async () => {
      kernel.state = 'deaf';
      kernel.onRequest = free as FakeKernel['onRequest'];
      connection.look(true);
      await Promise.all([pass(15 * SECOND), release().result]);
      kernel.state = 'rest';
      await pass(MINUTE);
      const next = release();
      await pass(SECOND);
      await expect(next.result).resolves.toMatchObject({ status: 'done' });
      expect(kernel.called).toHaveLength(1);
    });
  });

  describe('a channel', () => {
    beforeEach(async () => {
      connection.look(true);
      await pass(0);
    });

    it('should be replaced two seconds after a message arrived without a reply', async () => {
      kernel.state = 'silent';
      await pass(3.5 * SECOND);
      expect(kernel.wires).toHaveLength(1);
      await pass(SECOND);
      expect(kernel.wires).toHaveLength(2);
    });

    it('should be kept for eight seconds while a cell runs in silence', async () => {
      await pass(SECOND);
      kernel.begin();
      kernel.state = 'silent';
      await pass(0);
      connection.resume();
      await pass(7 * SECOND);
      expect(connection.link).toBe('live');
      expect(kernel.wires).toHaveLength(1);
    });

    it('should not be replaced by an older one that is received late', async () => {
      const [first] = kernel.wires;
      kernel.state = 'silent';
      await pass(5 * SECOND);
      kernel.state = 'rest';
      await pass(10 * SECOND);
      const { length } = kernel.wires;
      expect(length).toBeGreaterThan(1);
      first?.push(kernel.envelope([kernel.sample()]));
      first?.close();
      const before = kernel.wire.said.length;
      await pass(10 * SECOND);
      expect(kernel.wires).toHaveLength(length);
      expect(kernel.wire.said.length).toBeGreaterThan(before);
    });

    it('should be opened again if a helper is received without one', async () => {
      kernel.state = 'empty';
      kernel.wire.close();
      await pass(10 * SECOND);
      expect(connection.link).toBe('restarted');
      kernel.state = 'rest';
      kernel.beacon(kernel.envelope([kernel.sample()]));
      await pass(SECOND);
      expect(connection.link).toBe('live');
      expect(kernel.wire.isOpen).toBe(true);
    });

    it('should fail requests to another helper', async () => {
      kernel.begin();
      await pass(0);
      const failed = sentenceOf(release());
      kernel.helperId = 'helper-2';
      kernel.end();
      await expect(failed).resolves.toBe('The kernel was restarted.');
      expect(helperIds).toEqual(['helper-1', 'helper-2']);
    });
  });

  describe('the end of a kernel', () => {
    /** Maximum number of seconds until a link state is reached. */
    const until = async (link: string): Promise<number> => {
      for (let ms = 0; ms < MINUTE; ms += 500) {
        if (connection.link === link) {
          return ms / SECOND;
        }
        await pass(500);
      }
      return Infinity;
    };

    it.each([
      ['whose messages arrive and are not known', 'silent'],
      ['whose messages are lost', 'deaf']
    ] as const)(
      'should be shown within 20 seconds of one %s',
      async (_, state) => {
        connection.look(true);
        await pass(MINUTE);
        kernel.state = state;
        // The kernel has restarted, and has no helper.
        setTimeout(() => {
          kernel.state = 'empty';
        }, 6 * SECOND);
        await expect(until('restarted')).resolves.toBeLessThanOrEqual(20);
      }
    );

    it('should be shown within 20 seconds while a cell runs', async () => {
      connection.look(true);
      await pass(5 * SECOND);
      kernel.begin();
      await pass(5 * SECOND);
      kernel.push(kernel.sample());
      await pass(0);
      kernel.state = 'empty';
      await expect(until('restarted')).resolves.toBeLessThanOrEqual(20);
    });

    it('should open no more than three channels, until a retry is requested', async () => {
      connection.look(true);
      await pass(0);
      kernel.state = 'empty';
      kernel.wire.close();
      await pass(5 * MINUTE);
      expect(connection.link).toBe('restarted');
      expect(kernel.wires).toHaveLength(4);
      kernel.state = 'rest';
      kernel.helperId = 'helper-2';
      connection.resume();
      await pass(0);
      expect(connection.link).toBe('live');
      expect(helperIds).toEqual(['helper-1', 'helper-2']);
    });

    it('should fail pending requests with a sentence', async () => {
      connection.look(true);
      await pass(0);
      kernel.begin();
      await pass(0);
      const question = release();
      const failed = sentenceOf(question);
      kernel.state = 'empty';
      kernel.wire.close();
      await pass(10 * SECOND);
      await expect(failed).resolves.toBe('The kernel was restarted.');
    });

    it('should not be shown for one that holds the GIL', async () => {
      connection.look(true);
      await pass(0);
      kernel.begin();
      await pass(30 * SECOND);
      expect(connection.link).toBe('lost');
      kernel.end();
      await pass(2 * SECOND);
      expect(connection.link).toBe('live');
    });

    it('should be shown as a lost connection while nothing arrives', async () => {
      connection.look(true);
      await pass(5 * SECOND);
      kernel.state = 'deaf';
      await expect(until('lost')).resolves.toBeLessThanOrEqual(20);
      kernel.state = 'rest';
      await expect(until('live')).resolves.toBeLessThanOrEqual(30);
    });
  });

  it('should be opened again if the helper dropped a frame that was hidden', async () => {
    connection.look(true);
    await pass(SECOND);
    connection.look(false);
    await pass(5 * MINUTE);
    kernel.state = 'silent';
    connection.look(true);
    await pass(SECOND);
    kernel.state = 'rest';
    await pass(3 * SECOND);
    expect(kernel.wires).toHaveLength(2);
    expect(connection.link).toBe('live');
  });
});
