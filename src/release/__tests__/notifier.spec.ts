import { Notification } from '@jupyterlab/apputils';

import { FakeMemory, goOn } from '../../__tests__/memory';
import { FakeKernel } from '../../kernel/__tests__/fakekernel';
import type { ReleaseSession } from '../session';
import { NotifyingServices } from './services';

const SAFE = { items: null, confirmed: [], report_id: null };

const LIMITS = 'Without the helper, tracebacks keep what they hold.';

/** A kernel without a helper; its plain release frees one GiB. */
function makeKernel(): FakeKernel {
  const kernel = new FakeKernel();
  const { evaluate } = kernel;
  const data = { 'text/plain': `[${2 ** 31}, ${2 ** 30}, 0, 0]` };
  kernel.evaluate = expression =>
    expression.includes('release')
      ? { status: 'ok', data }
      : evaluate(expression);
  return kernel;
}

describe('a release where the helper cannot be used', () => {
  let memory: FakeMemory;
  let kernel: FakeKernel;
  let session: ReleaseSession;

  beforeEach(() => {
    Notification.manager.dismiss();
    memory = new FakeMemory();
    kernel = makeKernel();
    Object.assign(memory, { kernel });
    session = new NotifyingServices().sessions.get(memory);
  });

  /** The code that it was given. */
  const executed = (): unknown[] =>
    kernel.executed.map(({ content }) => content.code).filter(Boolean);

  const told = (): string[] =>
    Notification.manager.notifications.map(({ message }) => message);

  it.each(['off', 'failed', 'incompatible'] as const)(
    'should free plainly in the phase %s, and say what it could not do',
    async phase => {
      memory.set({ phase });
      await session.notify(SAFE);
      expect(executed()).toHaveLength(1);
      expect(told()).toEqual([`Freed 1.0 GiB. ${LIMITS}`]);
    }
  );

  it('should free plainly when the helper refuses, and say why', async () => {
    memory.answers.release = () => Promise.reject(new Error('It has no time.'));
    await session.notify(SAFE);
    expect(told()).toEqual([`Freed 1.0 GiB. ${LIMITS}\nIt has no time.`]);
  });

  it.each(['live', 'off'] as const)(
    'should not free plainly what a person picked by name (%s)',
    async phase => {
      memory.set({ phase });
      memory.answers.release = () =>
        Promise.reject(new Error('It was not asked.'));
      await session.notify({ ...SAFE, items: ['variable:x'] });
      expect(executed()).toEqual([]);
      expect(told()).toEqual(['Could not free GPU memory: It was not asked.']);
    }
  );

  it('should send no code to a kernel that hands it on', async () => {
    memory.set({ phase: 'off' });
    kernel.evaluate = () => ({ status: 'error' });
    await session.notify(SAFE);
    expect(executed()).toEqual([]);
    expect(told()).toEqual([
      expect.stringMatching(/^Could not free GPU memory: This kernel is Python/)
    ]);
    expect(told()[0]?.length).toBeLessThanOrEqual(140);
  });

  it('should free nothing while a cell runs', async () => {
    memory.set({ phase: 'off' });
    kernel.setStatus('busy');
    const done = session.notify(SAFE);
    await goOn();
    expect(told()).toEqual(['Queued. Starts when the running cell finishes.']);
    expect(executed()).toEqual([]);
    kernel.setStatus('idle');
    await done;
    expect(executed()).toHaveLength(1);
  });

  it('should be taken back while it waits', async () => {
    memory.set({ phase: 'off' });
    kernel.setStatus('busy');
    const done = session.notify(SAFE);
    await goOn();
    const [notification] = Notification.manager.notifications;
    notification?.options.actions?.[0]?.callback(new MouseEvent('click'));
    await done;
    kernel.setStatus('idle');
    expect(executed()).toEqual([]);
    expect(told()).toEqual([
      'Canceled: nothing that your code can reach was freed.'
    ]);
  });
});
