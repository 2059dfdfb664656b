import { Notification } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { FakeMemory, settle } from '../../__tests__/memory';
import { ReleaseCommand } from '../releasecommand';

const SAFE = { items: null, confirmed: [], report_id: null };

const LIMITS = 'Without the helper, tracebacks keep what they hold.';

/** A kernel that only executes; its plain release frees one GiB. */
class PlainKernel {
  status: Kernel.Status = 'idle';
  readonly statusChanged = new Signal<this, Kernel.Status>(this);
  readonly executed: string[] = [];

  requestExecute({ code }: { code: string }): object {
    this.executed.push(code);
    const data = { 'text/plain': `[${2 ** 31}, ${2 ** 30}, 0, 0]` };
    const user_expressions = { release: { status: 'ok', data } };
    return {
      done: Promise.resolve({ content: { status: 'ok', user_expressions } })
    };
  }

  become(status: Kernel.Status): void {
    this.status = status;
    this.statusChanged.emit(status);
  }
}

describe('a release where the helper cannot be used', () => {
  let memory: FakeMemory;
  let kernel: PlainKernel;
  let command: ReleaseCommand;

  beforeEach(() => {
    Notification.manager.dismiss();
    memory = new FakeMemory();
    kernel = new PlainKernel();
    Object.assign(memory, { kernel });
    command = new ReleaseCommand(nullTranslator.load('gpu-headroom'));
  });

  const told = (): string[] =>
    Notification.manager.notifications.map(({ message }) => message);

  it.each(['off', 'failed', 'incompatible'] as const)(
    'should free plainly in the phase %s, and say what it could not do',
    async phase => {
      memory.set({ phase });
      await command.run(memory, SAFE);
      expect(kernel.executed).toHaveLength(1);
      expect(told()).toEqual([`Freed 1.0 GiB. ${LIMITS}`]);
    }
  );

  it('should free plainly when the helper refuses, and say why', async () => {
    memory.answers.release = () => Promise.reject(new Error('It has no time.'));
    await command.run(memory, SAFE);
    expect(told()).toEqual([`Freed 1.0 GiB. ${LIMITS}\nIt has no time.`]);
  });

  it.each(['live', 'off'] as const)(
    'should not free plainly what a person picked by name (%s)',
    async phase => {
      memory.set({ phase });
      memory.answers.release = () =>
        Promise.reject(new Error('It was not asked.'));
      await command.run(memory, { ...SAFE, items: ['variable:x'] });
      expect(kernel.executed).toEqual([]);
      expect(told()).toEqual(['Could not free GPU memory: It was not asked.']);
    }
  );

  it('should free nothing while a cell runs', async () => {
    memory.set({ phase: 'off' });
    kernel.become('busy');
    const done = command.run(memory, SAFE);
    await settle();
    expect(told()).toEqual(['Queued. Starts when the running cell finishes.']);
    expect(kernel.executed).toEqual([]);
    kernel.become('idle');
    await done;
    expect(kernel.executed).toHaveLength(1);
  });

  it('should be taken back while it waits', async () => {
    memory.set({ phase: 'off' });
    kernel.become('busy');
    const done = command.run(memory, SAFE);
    await settle();
    const [notification] = Notification.manager.notifications;
    notification?.options.actions?.[0]?.callback(new MouseEvent('click'));
    await done;
    kernel.become('idle');
    expect(kernel.executed).toEqual([]);
    expect(told()).toEqual(['Nothing was freed: taken back.']);
  });
});
