import { settle } from '../../__tests__/memory';
import { FREE, message, RELEASED, REPORT, WORDS } from '../../__tests__/report';
import type { IReleased, RequestArgs } from '../../protocol';
import { type IReportPort, type IWorking, ReportSession } from '../session';
import type { RemedyState } from '../state';

/** The kernel side of a session, controlled by a test. */
class FakePort implements IReportPort {
  state: RemedyState = { status: 'running', text: 'Freeing…' };
  isNewest = true;
  readonly asked: RequestArgs<'release'>[] = [];
  readonly cancel = jest.fn();
  end!: (released: IReleased) => void;
  fail!: (reason: unknown) => void;

  request() {
    const title = message('remedy.free-traceback.displayed');
    const displayed = { ...FREE, id: 'displayed', title };
    const report = { ...REPORT, remedies: [...REPORT.remedies, displayed] };
    const known = { status: 'known' as const, report, released: null };
    return Promise.resolve({ type: 'report' as const, id: '1', ...known });
  }

  perform(_: 'release', args: RequestArgs<'release'>): IWorking<IReleased> {
    this.asked.push(args);
    const state = (): RemedyState => this.state;
    return {
      ended: new Promise((resolve, reject) => {
        this.end = resolve;
        this.fail = reject;
      }),
      get state() {
        return state();
      },
      cancel: this.cancel
    };
  }

  isLatest(): boolean {
    return this.isNewest;
  }

  explain(reason: unknown): string {
    return reason instanceof Error ? reason.message : '';
  }
}

describe('ReportSession', () => {
  let port: FakePort;
  let session: ReportSession;
  let changes: number;

  const stateOf = (): RemedyState | undefined => session.remedies.free;

  beforeEach(async () => {
    port = new FakePort();
    changes = 0;
    const { helper_id, report_id } = REPORT;
    session = new ReportSession(port, { helper_id, report_id }, WORDS, () => {
      changes++;
    });
    session.follow(REPORT.helper_id);
    await settle();
  });

  it('should be confirmed only by the helper that made the report', () => {
    expect(session.trust).toBe('confirmed');
    session.follow(REPORT.helper_id);
    expect(session.trust).toBe('confirmed');
    session.follow('helper-2');
    expect(session.trust).toBe('saved');
    expect(session.report).toBeNull();
    session.follow(REPORT.helper_id, true);
    expect(session.trust).toBe('asking');
  });

  it('should free what the failed cell retains, for this report', async () => {
    const freeing = session.free('free');
    expect(port.asked).toEqual([
      {
        items: ['traceback', 'garbage', 'cache'],
        confirmed: [],
        report_id: REPORT.report_id
      }
    ]);
    expect(stateOf()).toBe(port.state);
    port.end(RELEASED);
    await freeing;
    expect(stateOf()).toEqual({ status: 'ready' });
  });

  it('should also free displayed values if the remedy includes them', () => {
    void session.free('displayed');
    expect(port.asked).toMatchObject([{ items: null }]);
  });

  it.each<[IReleased['status'], string]>([
    ['nothing', 'English of why'],
    ['failed', 'Could not free GPU memory: English of why']
  ])('should show why it freed nothing: %s', async (status, text) => {
    const freeing = session.free('free');
    const why = message('why');
    port.end({ ...RELEASED, status, freed_bytes: null, message: why });
    await freeing;
    expect(stateOf()).toEqual({ status: 'failed', text });
  });

  it('should show that it waits while it does, and be canceled', async () => {
    const freeing = session.free('free');
    port.state = { status: 'waiting', text: 'Later.' };
    expect(stateOf()).toBe(port.state);
    session.cancel('free');
    expect(port.cancel).toHaveBeenCalledTimes(1);
    const why = message('why');
    const none = { freed_bytes: null, message: why };
    port.end({ ...RELEASED, status: 'cancelled', ...none });
    await freeing;
    expect(stateOf()).toEqual({
      status: 'cancelled',
      text: 'English of why'
    });
  });

  it('should show progress only after half a second', async () => {
    jest.useFakeTimers();
    const freeing = session.act('free', () => session.free('free'));
    await jest.advanceTimersByTimeAsync(499);
    expect(stateOf()).toEqual({ status: 'begun' });
    const before = changes;
    await jest.advanceTimersByTimeAsync(1);
    expect(stateOf()).toBe(port.state);
    expect(changes).toBeGreaterThan(before);
    port.end(RELEASED);
    await freeing;
    expect(stateOf()).toEqual({ status: 'ready' });
    jest.useRealTimers();
  });

  it('should show a failure with its remedy, if there is a message', async () => {
    await session.act('free', () => Promise.reject(new Error('It is gone.')));
    expect(stateOf()).toEqual({ status: 'failed', text: 'It is gone.' });
    await session.act('free', () => Promise.reject(new Error('')));
    expect(stateOf()).toEqual({ status: 'ready' });
  });

  it('should follow a release of everything only while it is the newest', () => {
    port.isNewest = false;
    session.onEvent({ ...RELEASED, report_id: null });
    expect(session.released).toBeNull();
    port.isNewest = true;
    session.onEvent({ ...RELEASED, report_id: null });
    expect(session.released).not.toBeNull();
  });

  it('should ignore a reply after its end', async () => {
    session.follow(null);
    session.follow(REPORT.helper_id);
    session.follow(null);
    const before = changes;
    await settle();
    expect(session.trust).toBe('saved');
    expect(changes).toBe(before);
  });
});
