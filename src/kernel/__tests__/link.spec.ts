import { nullTranslator } from '@jupyterlab/translation';
import { PromiseDelegate } from '@lumino/coreutils';

import { message } from '../../__tests__/report';
import {
  CELL,
  EVENTS,
  HELLO,
  POINT,
  REPLIES,
  REQUESTS,
  SAMPLE
} from '../../__tests__/samples';
import { setHidden } from '../../__tests__/visibility';
import { staleness } from '../../memory/model';
import type { IDeath, OffReason } from '../../memory/state';
import type { ISample } from '../../protocol';
import { DEFAULT_SETTINGS, Settings } from '../../settings';
import { PackMissing } from '../laterpacks';
import { type ILinkOptions, KernelLink } from '../link';
import { FakeKernel, helper, HERE } from './fakekernel';

const second = (count: number): Promise<void> =>
  jest.advanceTimersByTimeAsync(1000 * count);

/** Arguments of a request whose reply does not matter. */
const NOTHING = { arguments: REQUESTS.cleanup };

/** Let pending work continue, without time passing. */
const settle = (): Promise<void> => second(0);

describe('KernelLink', () => {
  let kernel: FakeKernel;
  let settings: Settings;
  let refusal: OffReason | null;
  let isPython: boolean;
  let injected: number;
  let deaths: IDeath[];
  let link: KernelLink;
  let warn: jest.SpyInstance;

  /** Inject a helper into the kernel. */
  const inject = (): Promise<string | null> => {
    injected++;
    kernel.answer = helper();
    return Promise.resolve(null);
  };

  /** A link to the kernel of the focused document. */
  const connect = (overrides: Partial<ILinkOptions> = {}): KernelLink => {
    const made = connectUnseen(overrides);
    made.isShown = true;
    return made;
  };

  const connectUnseen = (overrides: Partial<ILinkOptions> = {}): KernelLink =>
    new KernelLink({
      kernel: kernel.connection,
      settings,
      trans: nullTranslator.load('gpu-headroom'),
      isPython: () => Promise.resolve(isPython),
      refusal: () => refusal,
      readBootstrap: () => Promise.resolve({ code: 'start()' }),
      inject,
      onDeath: death => {
        deaths.push(death);
      },
      ...overrides
    });

  const typesAsked = (): string[] => kernel.requests.map(({ type }) => type);

  const countOf = (type: string): number =>
    typesAsked().filter(each => each === type).length;

  const lastAttach = (): object | undefined =>
    kernel.requests.filter(({ type }) => type === 'attach').pop();

  beforeEach(() => {
    jest.useFakeTimers();
    warn = jest.spyOn(console, 'warn').mockImplementation();
    kernel = new FakeKernel();
    settings = new Settings();
    refusal = null;
    isPython = true;
    injected = 0;
    deaths = [];
  });

  afterEach(() => {
    setHidden(false);
    link.dispose();
    warn.mockRestore();
    jest.useRealTimers();
  });

  it('should probe for IPython at the same time as it attaches, if no cell runs', async () => {
    kernel.answer = () => 'silence';
    link = connect();
    await settle();
    expect(kernel.executed).toHaveLength(1);
    expect(kernel.requests).toHaveLength(1);
  });

  it.each([
    ['a cell runs', 'busy', null],
    ['no helper is wanted', 'idle', 'click']
  ] as const)(
    'should execute nothing before the reply to attach where %s',
    async (_, status, reason) => {
      kernel.status = status;
      refusal = reason;
      kernel.answer = () => 'silence';
      link = connect();
      await settle();
      expect(kernel.executed).toHaveLength(0);
      expect(kernel.requests).toHaveLength(1);
    }
  );

  it('should not wait for attach to fail if the probe finds no helper', async () => {
    let asked = 0;
    kernel.evaluate = () => ({ status: 'ok', data: { 'text/plain': HERE } });
    kernel.answer = request => (asked++ === 0 ? 'silence' : helper()(request));
    link = connect({ inject: () => Promise.resolve(null) });
    await settle();
    expect(link.state.phase).toBe('live');
    expect(countOf('attach')).toBe(2);
  });

  it('should attach right after the bootstrap', async () => {
    const running = new PromiseDelegate<null>();
    link = connect({
      inject: () => {
        kernel.answer = helper();
        return running.promise;
      }
    });
    await settle();
    expect(countOf('attach')).toBe(2);
    expect(link.state.phase).toBe('starting');
    running.resolve(null);
    await settle();
    expect(link.state.phase).toBe('live');
    expect(countOf('attach')).toBe(2);
  });

  it('should attach to a running helper, and inject nothing', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    expect(link.state.phase).toBe('live');
    expect(link.state.sample?.devices).toEqual(SAMPLE.devices);
    expect(injected).toBe(0);
  });

  it('should attach while the status is unknown and the info is pending', async () => {
    kernel.status = 'unknown';
    kernel.answer = helper();
    link = connect();
    await settle();
    expect(link.state.phase).toBe('live');
  });

  it('should inject a helper where there is none', async () => {
    link = connect();
    const phases: string[] = [];
    link.stateChanged.connect(({ state }) => phases.push(state.phase));
    await settle();
    expect(injected).toBe(1);
    expect(phases.slice(0, 2)).toEqual(['starting', 'live']);
  });

  it('should send nothing to a kernel of another language', async () => {
    isPython = false;
    link = connect();
    await second(60);
    expect(link.state.phase).toBe('absent');
    expect(kernel.requests).toEqual([]);
    expect(kernel.executed).toEqual([]);
  });

  it.each<OffReason>(['click', 'never', 'notebook'])(
    'should inject nothing when the reason is %s, until requested',
    async reason => {
      refusal = reason;
      link = connect();
      await second(30);
      expect(link.state).toMatchObject({ phase: 'off', offReason: reason });
      expect(injected).toBe(0);
      await Promise.all([link.start(), settle()]);
      expect(link.state.phase).toBe('live');
    }
  );

  it('should start when the settings allow it', async () => {
    refusal = 'never';
    link = connect();
    await settle();
    refusal = null;
    (settings.changed as unknown as { emit: () => void }).emit();
    await settle();
    expect(link.state.phase).toBe('live');
  });

  it('should show what keeps a helper from starting', async () => {
    link = connect({ inject: () => Promise.resolve('SyntaxError: no') });
    await settle();
    expect(link.state.phase).toBe('failed');
    expect(link.state.problem).toContain('SyntaxError: no');
  });

  it('should show that an injected helper does not reply', async () => {
    link = connect({ inject: () => Promise.resolve(null) });
    await second(2);
    expect(link.state.phase).toBe('failed');
    expect(link.state.problem).toMatch(/does not answer\.$/);
  });

  it('should not use a helper of another major version', async () => {
    kernel.answer = helper({ protocol_version: '3.0' });
    link = connect();
    await settle();
    expect(link.state.phase).toBe('incompatible');
    expect(link.state.problem).toMatch(/uses protocol 3\.0, this page/);
    expect(injected).toBe(0);
  });

  it('should show the version even if nothing else is valid', async () => {
    kernel.answer = ({ id }) => ({
      type: 'attach',
      id,
      hello: { protocol_version: '7.2', greeting: 'hi' }
    });
    link = connect();
    await settle();
    expect(link.state.phase).toBe('incompatible');
    expect(link.state.problem).toMatch(/uses protocol 7\.2, this page/);
  });

  it('should show why a helper refuses this front end', async () => {
    kernel.answer = ({ id }) => ({
      type: 'refused',
      id,
      message: {
        id: 'refused.version',
        template: 'Too new.',
        params: {},
        text: 'Too new.'
      }
    });
    link = connect();
    await settle();
    expect(link.state).toMatchObject({
      phase: 'incompatible',
      problem: 'Too new.'
    });
  });

  it('should give up on an invalid reply', async () => {
    kernel.answer = () => ({ type: 'gibberish' });
    link = connect();
    await settle();
    expect(link.state.phase).toBe('failed');
  });

  it('should retry while a kernel does not reply', async () => {
    kernel.answer = () => 'silence';
    link = connect();
    await second(11);
    expect(link.state.phase).toBe('connecting');
    kernel.answer = helper();
    await second(12);
    expect(link.state.phase).toBe('live');
    expect(injected).toBe(0);
  });

  it('should poll a kernel at rest at once and every five seconds', async () => {
    kernel.answer = helper();
    link = connect();
    await second(16);
    const polls = typesAsked().filter(type => type === 'sample');
    expect(polls).toHaveLength(4);
  });

  it('should renew, and not poll, while a cell runs', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    kernel.emit({ ...CELL, status: 'running', end_s: null });
    kernel.requests.length = 0;
    await second(11);
    expect(typesAsked()).toEqual(['attach', 'attach']);
  });

  it('should count polls without a reply', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    kernel.answer = () => 'silence';
    await second(16);
    expect(link.state.unansweredPolls).toBe(2);
    kernel.answer = helper();
    await second(8);
    expect(link.state).toMatchObject({ phase: 'live', unansweredPolls: 0 });
  });

  it('should mark numbers as stale within three seconds when a busy kernel is silent', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    kernel.answer = () => 'silence';
    kernel.setStatus('busy');
    await second(3.1);
    expect(staleness(link.state, Date.now())).not.toBeNull();
    kernel.answer = helper();
    await second(6);
    expect(staleness(link.state, Date.now())).toBeNull();
  });

  it('should poll a busy kernel that replies only once', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    const count = kernel.requests.length;
    kernel.setStatus('busy');
    await second(0.2);
    kernel.setStatus('idle');
    await second(2);
    expect(kernel.requests).toHaveLength(count);
    kernel.setStatus('busy');
    await second(2);
    expect(kernel.requests).toHaveLength(count + 1);
  });

  it('should read again at once when memory was released', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    const count = kernel.requests.length;
    kernel.emit({ ...EVENTS.released, helper_id: HELLO.helper_id });
    await settle();
    expect(typesAsked().slice(count)).toEqual(['sample']);
  });

  it('should start over when there is no helper any more', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    kernel.answer = () => ({});
    await second(6);
    expect(injected).toBe(1);
    expect(link.state.phase).toBe('live');
  });

  it('should drop the stream while the page is hidden', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    setHidden(true);
    await settle();
    expect(lastAttach()).toMatchObject({ visible: false });
    const count = kernel.requests.length;
    (settings.changed as unknown as { emit: () => void }).emit();
    kernel.setStatus('busy');
    await second(3600);
    expect(kernel.requests).toHaveLength(count);
    setHidden(false);
    await settle();
    expect(lastAttach()).toMatchObject({ visible: true });
    expect(countOf('history')).toBe(2);
    expect(countOf('cells')).toBe(2);
  });

  describe('that is not displayed', () => {
    const edge = { ...CELL, status: 'running' as const, end_s: null };

    it('should be polled once a minute, and report when its cells start and end', async () => {
      kernel.answer = helper();
      link = connectUnseen();
      await settle();
      expect(lastAttach()).toMatchObject({ visible: false });
      kernel.requests.length = 0;
      await second(300);
      expect(typesAsked()).toEqual(Array(5).fill('attach'));
      kernel.emit(edge);
      expect(link.state.cell).toEqual(edge);
      kernel.setStatus('busy');
      kernel.emit(EVENTS.released);
      await second(59);
      expect(kernel.requests).toHaveLength(5);
    });

    it('should be polled more often if an older helper keeps its lease for less', async () => {
      const answer = helper();
      kernel.answer = request =>
        Object.assign({}, answer(request), { lease_s: 30 });
      link = connectUnseen();
      await settle();
      kernel.requests.length = 0;
      await second(60);
      expect(typesAsked()).toEqual(Array(3).fill('attach'));
    });

    it('should be polled, with a request for what was missed, once it is displayed', async () => {
      kernel.answer = helper();
      link = connectUnseen();
      await second(30);
      kernel.requests.length = 0;
      link.isShown = true;
      link.isShown = true;
      await settle();
      expect(typesAsked()).toEqual(['attach', 'cells', 'history']);
      expect(lastAttach()).toMatchObject({ visible: true });
      kernel.requests.length = 0;
      await second(11);
      expect(typesAsked()).toEqual(['sample', 'sample']);
      kernel.requests.length = 0;
      link.isShown = false;
      await second(59);
      expect(typesAsked()).toEqual(['attach']);
      expect(lastAttach()).toMatchObject({ visible: false });
    });

    it('should be displayed while it is watched', async () => {
      kernel.answer = helper();
      link = connectUnseen();
      await settle();
      const watch = link.watch();
      await settle();
      expect(lastAttach()).toMatchObject({
        visible: true,
        rate_hz: DEFAULT_SETTINGS.watchedRate
      });
      watch.dispose();
      await settle();
      expect(lastAttach()).toMatchObject({ visible: false });
    });

    it('should continue when the page was hidden for less than its lease', async () => {
      kernel.answer = helper();
      link = connectUnseen();
      await second(50);
      kernel.requests.length = 0;
      setHidden(true);
      await second(5);
      setHidden(false);
      await settle();
      expect(kernel.requests).toEqual([]);
      setHidden(true);
      await second(20);
      setHidden(false);
      await settle();
      // A renewal was due, but the lease was valid all the time.
      expect(typesAsked()).toEqual(['attach']);
    });

    it('should be asked for everything when the page was hidden for long', async () => {
      kernel.answer = helper();
      link = connectUnseen();
      await settle();
      kernel.requests.length = 0;
      setHidden(true);
      await second(600);
      expect(kernel.requests).toEqual([]);
      setHidden(false);
      await settle();
      expect(typesAsked()).toEqual(['attach', 'cells', 'history']);
    });
  });

  describe('that cannot be used', () => {
    /** An hour in which the user runs a cell each minute. */
    const hour = async (): Promise<void> => {
      for (let minute = 0; minute < 60; minute++) {
        kernel.setStatus('busy');
        await second(20);
        kernel.setStatus('idle');
        await second(40);
      }
    };

    it('should get no helper when it does not run IPython', async () => {
      kernel.evaluate = () => ({ status: 'error' });
      link = connect();
      await hour();
      expect(link.state.phase).toBe('foreign');
      expect(link.state.problem).toMatch(/does not run IPython/);
      expect(typesAsked()).toEqual(['attach']);
      expect(injected).toBe(0);
    });

    it('should get no helper when its Python is free-threaded', async () => {
      kernel.evaluate = () => ({
        status: 'ok',
        data: { 'text/plain': HERE.replace('False', 'True') }
      });
      link = connect();
      await hour();
      expect(link.state.phase).toBe('foreign');
      expect(link.state.problem).toMatch(
        /does not run in free-threaded Python/
      );
      expect(typesAsked()).toEqual(['attach']);
      expect(injected).toBe(0);
    });

    it('should be asked once, and get no code, when it reports another implementation', async () => {
      // Like kernels that do not support debug requests, and log each with a traceback.
      kernel.answer = () => 'silence';
      kernel.info = Promise.resolve({ implementation: 'w' });
      link = connect();
      await hour();
      expect(link.state.phase).toBe('foreign');
      expect(typesAsked()).toEqual(['attach']);
      expect(kernel.executed).toEqual([]);
      expect(kernel.infoRequests).toBe(0);
    });

    it('should be used if the user has started the helper in another', async () => {
      kernel.answer = helper();
      kernel.info = Promise.resolve({ implementation: 'w' });
      link = connect();
      await settle();
      expect(link.state.phase).toBe('live');
    });

    it('should get no helper even on request of the user', async () => {
      refusal = 'click';
      kernel.evaluate = () => ({ status: 'error' });
      link = connect();
      await settle();
      expect(link.state.phase).toBe('off');
      await Promise.all([link.start(), settle()]);
      expect(link.state.phase).toBe('foreign');
      expect(injected).toBe(0);
    });

    it('should still be used once a helper in it sends hello', async () => {
      kernel.evaluate = () => ({ status: 'error' });
      link = connect();
      await settle();
      kernel.answer = helper();
      kernel.emit(HELLO);
      await settle();
      expect(link.state.phase).toBe('live');
    });

    it('should be tried once if the helper fails, and again on request', async () => {
      const tried = jest.fn(() => Promise.resolve('SyntaxError: no'));
      link = connect({ inject: tried });
      await hour();
      expect(link.state.phase).toBe('failed');
      expect(tried).toHaveBeenCalledTimes(1);
      expect(kernel.requests).toHaveLength(2);
      await Promise.all([link.start(), settle()]);
      expect(tried).toHaveBeenCalledTimes(2);
    });

    it('should be tried a few times if its connection is unstable', async () => {
      const tried = jest.fn(() => Promise.resolve('SyntaxError: no'));
      link = connect({ inject: tried });
      for (let loss = 0; loss < 50; loss++) {
        kernel.setConnection('connecting');
        kernel.setConnection('connected');
        await second(5);
      }
      expect(tried).toHaveBeenCalledTimes(3);
      expect(link.state.problem).toMatch(/several times/);
    });

    it('should not be probed again after enough attempts', async () => {
      kernel.status = 'busy';
      link = connect({ inject: () => Promise.resolve('SyntaxError: no') });
      for (let loss = 0; loss < 50; loss++) {
        kernel.setConnection('connecting');
        kernel.setConnection('connected');
        await second(5);
      }
      expect(kernel.executed).toHaveLength(3);
    });

    it('should be given up if no helper keeps running', async () => {
      link = connect({
        inject: () => {
          injected++;
          // The helper replies once, and then is gone.
          const answer = helper();
          kernel.answer = request => {
            kernel.answer = () => ({});
            return answer(request);
          };
          return Promise.resolve(null);
        }
      });
      await second(3600);
      expect(injected).toBe(3);
      expect(link.state.phase).toBe('failed');
      expect(link.state.problem).toMatch(/did not keep running/);
    });

    it('should be asked a few times if it does not reply, and show that once', async () => {
      kernel.answer = () => 'silence';
      const problems = new Set<string | null>();
      link = connect();
      link.stateChanged.connect(({ state }) => problems.add(state.problem));
      await second(3600);
      expect(link.state.phase).toBe('failed');
      expect(link.state.problem).toBe(
        'The kernel did not answer. GPU Headroom tries again when it restarts or finishes a cell.'
      );
      expect(kernel.requests.length).toBeLessThanOrEqual(8);
      expect(problems.size).toBeLessThanOrEqual(2);
    });

    it('should be asked a few more times when it shows activity', async () => {
      kernel.answer = () => 'silence';
      link = connect();
      for (let hours = 0; hours < 4; hours++) {
        await hour();
      }
      expect(link.state.phase).toBe('failed');
      expect(kernel.requests.length).toBeLessThanOrEqual(32);
      kernel.answer = helper();
      kernel.setStatus('restarting');
      kernel.setStatus('starting');
      await settle();
      expect(link.state.phase).toBe('live');
    });

    it('should connect when the cell ends that kept it from replying', async () => {
      kernel.answer = () => 'silence';
      link = connect();
      await second(600);
      expect(link.state.phase).toBe('failed');
      kernel.answer = helper();
      kernel.setStatus('idle');
      await settle();
      expect(link.state.phase).toBe('live');
    });
  });

  it('should request the fast rate while it is watched', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    expect(lastAttach()).toMatchObject({ rate_hz: DEFAULT_SETTINGS.rate });
    const watch = link.watch();
    await settle();
    expect(lastAttach()).toMatchObject({
      rate_hz: DEFAULT_SETTINGS.watchedRate
    });
    watch.dispose();
    watch.dispose();
    await settle();
    expect(lastAttach()).toMatchObject({ rate_hz: DEFAULT_SETTINGS.rate });
  });

  it('should forward only the events of its helper', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    const received: string[] = [];
    link.eventReceived.connect((_, { type }) => received.push(type));
    kernel.emit(EVENTS.oom);
    kernel.emit({ ...EVENTS.oom, helper_id: 'helper-0' });
    kernel.emit(EVENTS.oom, 'comm of an extension');
    kernel.emit({ type: 'nonsense' });
    expect(received).toEqual(['oom']);
    expect(link.state.lastOom).toEqual(EVENTS.oom);
  });

  it('should be disconnected while a kernel restarts, then find its new helper', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    kernel.setStatus('restarting');
    expect(link.state).toMatchObject({ phase: 'disconnected', sample: null });
    kernel.answer = () => ({});
    kernel.setConnection('connecting');
    kernel.setStatus('unknown');
    kernel.setConnection('connected');
    await settle();
    kernel.setStatus('starting');
    kernel.setStatus('idle');
    await settle();
    expect(injected).toBe(1);
    expect(link.state.phase).toBe('live');
  });

  it('should request once what happened before the page was opened', async () => {
    const answer = helper();
    kernel.answer = request =>
      request.type === 'cells'
        ? { type: 'cells', id: request.id, runs: [CELL] }
        : request.type === 'history'
          ? { type: 'history', id: request.id, points: [POINT] }
          : answer(request);
    link = connect();
    await second(30);
    expect(link.state.runs).toEqual([CELL]);
    expect(link.state.history[0]?.[0]).toMatchObject(POINT);
    expect(typesAsked().filter(type => type === 'cells')).toHaveLength(1);
    expect(typesAsked().filter(type => type === 'history')).toHaveLength(1);
  });

  it('should handle an older helper without a history', async () => {
    const answer = helper();
    const message = {
      id: 'refused.unknown',
      template: 'No.',
      params: {},
      text: 'No.'
    };
    kernel.answer = request =>
      request.type === 'cells' || request.type === 'history'
        ? { type: 'refused', id: request.id, message }
        : answer(request);
    link = connect();
    await second(6);
    expect(link.state.phase).toBe('live');
    expect(link.state.runs).toEqual([]);
  });

  it('should distinguish a kernel that died from one that was restarted', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    kernel.setStatus('restarting');
    kernel.setStatus('starting');
    await settle();
    expect(deaths).toEqual([]);
    await second(1);
    kernel.setStatus('restarting');
    kernel.setStatus('autorestarting');
    expect(deaths).toMatchObject([{ host: SAMPLE.host, age_ms: 1000 }]);
    expect(link.state).toMatchObject({
      phase: 'disconnected',
      death: deaths[0]
    });
    kernel.setStatus('restarting');
    kernel.setStatus('autorestarting');
    expect(deaths).toHaveLength(1);
    kernel.answer = helper({ helper_id: 'helper-2' });
    kernel.setStatus('starting');
    expect(link.state.death).toEqual(deaths[0]);
    await settle();
    expect(link.state).toMatchObject({ phase: 'live', death: null });
    expect(deaths).toHaveLength(1);
  });

  it('should show the cause of death that the restarted kernel reports', async () => {
    const answer = (helper_id: string, oom_kills: number): void => {
      const host = { ...SAMPLE.host, oom_kills } as ISample['host'];
      kernel.answer = helper({ helper_id }, { ...SAMPLE, host });
    };
    answer('helper-1', 4);
    link = connect();
    await settle();
    for (const [hello, kills] of [
      ['helper-2', 5],
      ['helper-3', 5]
    ] as const) {
      kernel.setStatus('restarting');
      kernel.setStatus('autorestarting');
      answer(hello, kills);
      kernel.setStatus('starting');
      await settle();
      await second(6);
    }
    expect(deaths.map(({ isKilled }) => isKilled)).toEqual([
      false,
      true,
      false
    ]);
  });

  it('should notice a restart that was requested elsewhere', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    kernel.answer = helper({ helper_id: 'helper-2', comm_id: 'comm-2' });
    kernel.setStatus('starting');
    await settle();
    expect(link.state.hello?.helper_id).toBe('helper-2');
  });

  it('should follow a new helper that sends hello', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    const hello = { ...HELLO, helper_id: 'helper-2', comm_id: 'comm-2' };
    kernel.answer = helper(hello);
    kernel.emit(hello, 'comm-2');
    await settle();
    expect(link.state.hello?.helper_id).toBe('helper-2');
  });

  it('should reconnect after the connection was lost', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    kernel.setConnection('connecting');
    expect(link.state.phase).toBe('disconnected');
    kernel.setConnection('connected');
    await settle();
    expect(link.state.phase).toBe('live');
  });

  it('should stay off when the helper was unloaded on purpose', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    kernel.answer = () => ({});
    kernel.emit(EVENTS.bye);
    await second(30);
    expect(link.state).toMatchObject({ phase: 'off', offReason: 'click' });
    expect(injected).toBe(0);
  });

  it('should reject a request with the sentence of a refusal', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    kernel.answer = ({ id }) => ({
      type: 'refused',
      id,
      message: {
        id: 'refused.busy',
        template: 'Not now.',
        params: {},
        text: 'Not now.'
      }
    });
    await expect(link.request('cleanup', { items: null })).rejects.toThrow(
      'Not now.'
    );
  });

  it('should reject a request without a helper or a reply', async () => {
    refusal = 'never';
    link = connect();
    await settle();
    await expect(link.request('cleanup', { items: null })).rejects.toThrow(
      /is not running/
    );
    kernel.answer = helper();
    await Promise.all([link.start(), settle()]);
    kernel.answer = () => 'silence';
    const late = link
      .request('cleanup', { items: null })
      .catch((reason: unknown) => reason);
    await second(11);
    expect(String(await late)).toContain('The kernel did not answer.');
  });

  it('should use a comm where the kernel has no control handlers', async () => {
    const hello = { ...HELLO, control: false };
    link = connect({
      inject: () => {
        kernel.emit(hello);
        // Only the comm is answered from now on.
        kernel.requestDebug = () => new FakeKernel().requestDebug(NOTHING);
        kernel.answer = helper(hello);
        return Promise.resolve(null);
      }
    });
    await settle();
    const [comm] = kernel.comms;
    expect(comm?.target).toBe('gpu-headroom');
    expect(comm?.open).toHaveBeenCalledTimes(1);
    expect(link.state.phase).toBe('live');
    await second(30);
    expect(typesAsked()).not.toContain('sample');
  });

  it('should end with its connection', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    const disposed = jest.fn();
    link.disposed.connect(disposed);
    kernel.end();
    link.dispose();
    expect(link.isDisposed).toBe(true);
    expect(disposed).toHaveBeenCalledTimes(1);
    expect(typesAsked()).not.toContain('detach');
  });

  it('should release its lease when it is disposed', async () => {
    kernel.answer = helper();
    link = connect();
    await settle();
    link.dispose();
    link.dispose();
    expect(typesAsked().filter(type => type === 'detach')).toHaveLength(1);
  });

  it('should leak no listener, however often the kernel restarts', async () => {
    const add = jest.spyOn(document, 'addEventListener');
    const remove = jest.spyOn(document, 'removeEventListener');
    link = connect();
    await settle();
    const timers = jest.getTimerCount();
    for (let restart = 0; restart < 20; restart++) {
      kernel.setStatus('restarting');
      kernel.answer = () => ({});
      kernel.setStatus('idle');
      await second(1);
    }
    expect(injected).toBe(21);
    expect(add).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBeLessThanOrEqual(timers);
    link.dispose();
    await settle();
    expect(remove).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
    const count = kernel.requests.length;
    kernel.emit(HELLO);
    kernel.setStatus('starting');
    kernel.setConnection('connected');
    await second(60);
    expect(kernel.requests).toHaveLength(count);
  });

  describe('with an engine in the notebook', () => {
    const dask = {
      engine: 'dask',
      total: 2,
      live: 0,
      state: 'not_measured',
      silent_s: null,
      message: null
    } as const;
    const workers = {
      engines: [dask],
      in_use_bytes: 0,
      fullest: null,
      here: []
    };
    let brought: (string | undefined)[];

    const connectAndRead = async (
      hello: object = {},
      read: object = { workers }
    ): Promise<void> => {
      brought = [];
      kernel.answer = helper(hello);
      link = connect({
        readBootstrap: which => {
          brought.push(which);
          return Promise.resolve({ code: 'start()' });
        }
      });
      await settle();
      kernel.emit({ ...SAMPLE, seq: 1000, ...read });
      kernel.emit({ ...SAMPLE, seq: 1001, ...read });
      await settle();
    };

    it('should inject the pack for workers once per helper', async () => {
      await connectAndRead();
      expect(brought).toEqual(['WORKERS_PACK']);
    });

    it('should inject nothing if the helper is installed', async () => {
      await connectAndRead({ installed: true });
      expect(brought).toEqual([]);
    });

    it('should inject it for ranks, too', async () => {
      const engines = [{ ...dask, engine: 'rank' }];
      await connectAndRead({}, { workers: { ...workers, engines } });
      expect(brought).toEqual(['WORKERS_PACK']);
    });

    it('should inject nothing if there are none', async () => {
      await connectAndRead({}, { workers: null });
      expect(brought).toEqual([]);
    });
  });

  describe('if a later pack cannot be injected', () => {
    const workers = { engines: [], in_use_bytes: 0, fullest: null, here: [] };
    let attempts: number;
    let isMended: boolean;
    let seq: number;

    /** A helper that fulfills requests which need a pack once it is injected. */
    const needing =
      (helper_id: string): FakeKernel['answer'] =>
      request => {
        const { id, type } = request;
        if (type !== 'workers' && type !== 'dry_run') {
          return helper({ helper_id })(request);
        }
        return isMended
          ? { ...REPLIES[type], id }
          : { type: 'refused', id, message: message('refused.not_now') };
      };

    const connectTo = async (
      overrides: Partial<ILinkOptions>
    ): Promise<void> => {
      kernel.answer = needing(HELLO.helper_id);
      link = connect(overrides);
      await settle();
    };

    /** Readings that list workers, for some time. */
    const read = async (seconds: number, helper_id = HELLO.helper_id) => {
      for (let passed = 0; passed < seconds; passed += 10) {
        kernel.emit({ ...SAMPLE, helper_id, seq: ++seq, workers });
        await second(10);
      }
    };

    /** Options with which an injection fails, until it is fixed. */
    const failing = (kind: string): Partial<ILinkOptions> => {
      const fail = (): Promise<string | null> => {
        attempts++;
        if (isMended || kind === 'said') {
          return Promise.resolve(isMended ? null : 'no answer');
        }
        return Promise.reject(new Error('Loading chunk 7 failed.'));
      };
      return kind === 'chunk'
        ? {
            readBootstrap: async () => {
              await fail();
              return { code: 'start()' };
            },
            inject: () => Promise.resolve(null)
          }
        : { inject: fail };
    };

    beforeEach(() => {
      attempts = 0;
      isMended = false;
      seq = 1000;
    });

    it.each(['said', 'chunk', 'rejected'])(
      'should try twice, and not at once (%s)',
      async kind => {
        await connectTo(failing(kind));
        await read(50);
        expect(attempts).toBe(1);
        await read(150);
        expect(attempts).toBe(2);
        expect(link.state.phase).toBe('live');
      }
    );

    it('should reject requests for workers, and stop trying', async () => {
      await connectTo(failing('chunk'));
      await read(100);
      const asked = link.request('workers', REQUESTS.workers);
      await expect(asked).rejects.toThrow(
        'A part of GPU Headroom could not be loaded in this kernel: Loading chunk 7 failed.'
      );
      await expect(asked).rejects.toBeInstanceOf(PackMissing);
      expect(attempts).toBe(2);
    });

    it('should also reject them if the kernel does not reply in time', async () => {
      await connectTo(failing('chunk'));
      kernel.answer = () => 'silence';
      const asked = link.request('dry_run', REQUESTS.dry_run);
      await Promise.all([
        expect(asked).rejects.toBeInstanceOf(PackMissing),
        second(11)
      ]);
    });

    it('should use the reply if another front end has injected it', async () => {
      await connectTo(failing('chunk'));
      kernel.answer = ({ id }) => ({ ...REPLIES.workers, id });
      const answer = await link.request('workers', REQUESTS.workers);
      expect(answer.type).toBe('workers');
    });

    it('should try again on a click, and find it injected', async () => {
      await connectTo(failing('chunk'));
      await read(100);
      await link.start();
      expect(attempts).toBe(3);
      isMended = true;
      await link.start();
      await link.start();
      expect(attempts).toBe(4);
      const answer = await link.request('workers', REQUESTS.workers);
      expect(answer.type).toBe('workers');
    });

    it('should try with each dry run, which a click begins', async () => {
      await connectTo(failing('chunk'));
      for (const count of [1, 2, 3]) {
        await expect(
          link.request('dry_run', REQUESTS.dry_run)
        ).rejects.toBeInstanceOf(PackMissing);
        expect(attempts).toBe(count);
      }
      isMended = true;
      const answer = await link.request('dry_run', REQUESTS.dry_run);
      expect(answer.type).toBe('dry_run');
    });

    it('should try again with another helper', async () => {
      await connectTo(failing('said'));
      await read(100);
      kernel.answer = needing('helper-2');
      kernel.setStatus('restarting');
      kernel.setStatus('starting');
      await settle();
      await read(10, 'helper-2');
      expect(attempts).toBe(3);
    });
  });
});
