import { FakeMemory, settle } from '../../__tests__/memory';
import { RELEASED } from '../../__tests__/report';
import { release } from '../release';

const ARGS = { items: null, confirmed: [], report_id: null };

describe('release', () => {
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

  it('should resolve with the event that tells the result', async () => {
    const memory = memoryThat('queued');
    const done = release(memory, ARGS);
    await settle();
    memory.send({ ...RELEASED, release_id: 'another' });
    memory.send(RELEASED);
    await expect(done).resolves.toBe(RELEASED);
  });

  it('should take a result that comes before the answer', async () => {
    const memory = memoryThat('queued', () => {
      memory.send(RELEASED);
    });
    await expect(release(memory, ARGS)).resolves.toBe(RELEASED);
  });

  it('should tell that it waits, with the id to take it back', async () => {
    const memory = memoryThat('waiting');
    const waiting: string[] = [];
    const done = release(memory, ARGS, id => waiting.push(id));
    await settle();
    expect(waiting).toEqual(['release-1']);
    memory.send({ ...RELEASED, status: 'cancelled' });
    await expect(done).resolves.toMatchObject({ status: 'cancelled' });
  });

  it('should go on waiting while the connection is lost', async () => {
    const memory = memoryThat('queued');
    const done = release(memory, ARGS);
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
    const done = release(memory, ARGS);
    await settle();
    end(memory);
    await expect(done).rejects.toThrow('The kernel is gone.');
  });

  it('should reject with the sentence of a refusal', async () => {
    await expect(release(new FakeMemory(), ARGS)).rejects.toThrow(
      'The helper does not answer.'
    );
  });
});
