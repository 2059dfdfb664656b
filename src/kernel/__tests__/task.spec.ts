import { FakeMemory, settle } from '../../__tests__/memory';
import { RELEASED } from '../../__tests__/report';
import { EVENTS } from '../../__tests__/samples';
import { Task } from '../task';

const ARGS = { items: null, confirmed: [], report_id: null };

describe('Task', () => {
  const memoryThat = (
    status: 'queued' | 'waiting',
    before?: () => void
  ): FakeMemory =>
    new FakeMemory({
      release: () => {
        before?.();
        return Promise.resolve({ release_id: 'release-1', status });
      }
    });

  it('should resolve with the event that reports the result', async () => {
    const memory = memoryThat('queued');
    const done = new Task(memory, 'release', ARGS).ended;
    await settle();
    memory.send({ ...RELEASED, release_id: 'another' });
    memory.send(RELEASED);
    await expect(done).resolves.toBe(RELEASED);
  });

  it('should accept a result that arrives before the reply', async () => {
    const memory = memoryThat('queued', () => {
      memory.send(RELEASED);
    });
    await expect(new Task(memory, 'release', ARGS).ended).resolves.toBe(
      RELEASED
    );
  });

  it('should report that it waits, and be canceled', async () => {
    const memory = memoryThat('waiting');
    const release = new Task(memory, 'release', ARGS);
    const steps: string[] = [];
    release.changed.connect(({ step }) => steps.push(step));
    expect(release.step).toBe('begun');
    await settle();
    expect(steps).toEqual(['waiting']);
    memory.answers.cancel = () => Promise.resolve({ cancelled: true });
    await release.cancel();
    expect(memory.requests.at(-1)).toEqual([
      'cancel',
      { cancelled_id: 'release-1' }
    ]);
    memory.send({ ...RELEASED, status: 'cancelled' });
    await expect(release.ended).resolves.toMatchObject({ status: 'cancelled' });
  });

  it('should be in progress for half a second before it is shown', async () => {
    jest.useFakeTimers();
    const memory = memoryThat('queued');
    const task = new Task(memory, 'release', ARGS);
    await jest.advanceTimersByTimeAsync(499);
    expect(task.step).toBe('begun');
    await jest.advanceTimersByTimeAsync(1);
    expect(task.step).toBe('going');
    memory.send(RELEASED);
    await task.ended;
    expect(task.step).toBe('ended');
    jest.useRealTimers();
  });

  it('should be canceled before the kernel has accepted it', async () => {
    const memory = memoryThat('queued');
    memory.answers.cancel = () => Promise.resolve({ cancelled: true });
    const task = new Task(memory, 'release', ARGS);
    await task.cancel();
    expect(task.step).toBe('stopping');
    await settle();
    expect(memory.requests.map(([type]) => type)).toEqual([
      'release',
      'cancel'
    ]);
    memory.send(RELEASED);
    await expect(task.ended).resolves.toBe(RELEASED);
  });

  it('should keep waiting while the connection is lost', async () => {
    const memory = memoryThat('queued');
    const done = new Task(memory, 'release', ARGS).ended;
    await settle();
    memory.set({ phase: 'disconnected' });
    memory.set({ phase: 'live' });
    memory.send(RELEASED);
    await expect(done).resolves.toBe(RELEASED);
  });

  it.each<[string, (memory: FakeMemory) => void]>([
    [
      'restarts',
      memory => {
        memory.restart();
      }
    ],
    [
      'ends',
      memory => {
        memory.dispose();
      }
    ]
  ])('should reject when the kernel %s', async (_, end) => {
    const memory = memoryThat('queued');
    const done = new Task(memory, 'release', ARGS).ended;
    await settle();
    end(memory);
    await expect(done).rejects.toThrow('The kernel is gone.');
  });

  it('should reject with the error that ends it, and with no other', async () => {
    const memory = memoryThat('queued');
    const done = new Task(memory, 'release', ARGS).ended;
    await settle();
    const message = { ...EVENTS.error.message, text: 'It failed.' };
    memory.send({ ...EVENTS.error, request_id: 'another' });
    memory.send({ ...EVENTS.error, request_id: '1', message });
    await expect(done).rejects.toThrow('It failed.');
  });

  it('should reject with the sentence of a refusal', async () => {
    await expect(
      new Task(new FakeMemory(), 'release', ARGS).ended
    ).rejects.toThrow('The helper does not answer.');
  });
});
