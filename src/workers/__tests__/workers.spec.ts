import { FakeMemory } from '../../__tests__/memory';
import { REPLIES, SAMPLE } from '../../__tests__/samples';
import {
  RANK,
  RANK_GPU,
  WORKER_RELEASED,
  WORKERS,
  workersWith
} from '../../__tests__/workers';
import type { IReplies, ISample } from '../../protocol';
import { Workers } from '../workers';

describe('the workers of a kernel', () => {
  let memory: FakeMemory;
  let workers: Workers;
  let answer: IReplies['workers'];
  let seq: number;

  const asked = (): unknown[] =>
    memory.requests
      .filter(([type]) => type === 'workers')
      .map(([, args]) => args);

  /** Let time pass, and pending work finish. */
  const pass = (ms: number): Promise<void> =>
    jest.advanceTimersByTimeAsync(ms + 1);

  /** Emit a new reading. */
  const read = (change: Partial<ISample> = {}): void => {
    const sample = { ...SAMPLE, seq: ++seq, workers: WORKERS, ...change };
    memory.set({ sample });
  };

  const ALL = { filter: '' };

  beforeEach(() => {
    jest.useFakeTimers();
    seq = 0;
    answer = REPLIES.workers;
    memory = new FakeMemory({
      workers: () => Promise.resolve(answer),
      follow: () => Promise.resolve({}),
      worker_release: () => Promise.resolve({ status: 'queued' })
    });
    workers = new Workers(memory);
  });

  afterEach(() => {
    workers.dispose();
    jest.useRealTimers();
  });

  it('should be requested while they are displayed, once for each reading', async () => {
    read();
    await pass(5000);
    expect(asked()).toEqual([]);
    const looking = workers.show();
    await pass(0);
    expect(asked()).toEqual([ALL]);
    expect(workers.answer?.gpus).toEqual([RANK_GPU]);
    await pass(5000);
    expect(asked()).toHaveLength(1);
    read();
    await pass(0);
    expect(asked()).toHaveLength(2);
    looking.dispose();
    read();
    await pass(5000);
    expect(asked()).toHaveLength(2);
  });

  it('should be requested once a second, however fast readings arrive', async () => {
    workers.show();
    for (let reading = 0; reading < 29; reading++) {
      read();
      await pass(100);
    }
    expect(asked()).toHaveLength(3);
  });

  it('should be requested one at a time', async () => {
    let give = (): void => undefined;
    memory.answers.workers = () =>
      new Promise(resolve => {
        give = () => {
          resolve(answer);
        };
      });
    workers.show();
    read();
    await pass(3000);
    read();
    workers.look('node');
    await pass(3000);
    expect(asked()).toHaveLength(1);
    give();
    await pass(0);
    // The reply was to another request.
    expect(workers.answer).toBeNull();
    expect(asked()).toEqual([ALL, { filter: 'node' }]);
    give();
    await pass(0);
    expect(workers.answer).not.toBeNull();
  });

  it('should not be requested if there are none', async () => {
    workers.show();
    read({ workers: null });
    await pass(2000);
    expect(asked()).toEqual([]);
    expect(workers.summary).toBeNull();
  });

  it('should have the latest summary, from an event or a reply', async () => {
    answer = { ...answer, workers: workersWith({ in_use_bytes: 7 }) };
    read();
    expect(workers.summary).toBe(WORKERS);
    workers.show();
    await pass(0);
    expect(workers.summary?.in_use_bytes).toBe(7);
    read();
    expect(workers.summary).toBe(WORKERS);
  });

  it('should report why no reply arrived, until one does', async () => {
    const reason = new Error('No.');
    memory.answers.workers = () => Promise.reject(reason);
    workers.show();
    read();
    await pass(0);
    expect(workers.problem).toBe(reason);
    memory.answers.workers = () => Promise.resolve(answer);
    read();
    await pass(1000);
    expect(workers.problem).toBeNull();
  });

  it('should drop the data of another helper', async () => {
    workers.show();
    read();
    await pass(0);
    workers.look('gpu');
    memory.restart();
    expect(workers.answer).toBeNull();
    expect(workers.filter).toBe('');
  });

  it('should do one action at a time, and request again after it', async () => {
    workers.show();
    read();
    await pass(0);
    workers.release(RANK.id, 'end', 'rank 1');
    workers.release(RANK.id, 'free', 'rank 1');
    expect(workers.last).toMatchObject({ action: 'end' });
    await pass(600);
    expect(workers.last?.task.isLong).toBe(true);
    expect(asked()).toHaveLength(1);
    memory.send({ ...WORKER_RELEASED, request_id: '1' });
    await pass(0);
    expect(workers.isBusy).toBe(false);
    expect(workers.last?.task.result?.status).toBe('done');
    expect(asked()).toHaveLength(2);
    const releases = memory.requests.filter(
      ([type]) => type === 'worker_release'
    );
    expect(releases.map(([, args]) => args)).toEqual([
      { worker_id: RANK.id, action: 'end' }
    ]);
  });

  it('should report why an action failed', async () => {
    const reason = new Error('The worker is busy.');
    memory.answers.worker_release = () => Promise.reject(reason);
    workers.release(RANK.id, 'free', 'rank 1');
    await pass(0);
    expect(workers.last?.task.problem).toMatchObject({
      message: reason.message
    });
    await workers.follow('dask', true);
    expect(workers.last).toBeNull();
    expect(workers.followProblem).toBeNull();
    expect(memory.requests.pop()).toEqual([
      'follow',
      { engine: 'dask', follow: true }
    ]);
  });
});
