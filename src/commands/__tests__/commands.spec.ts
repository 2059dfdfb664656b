import { Notification } from '@jupyterlab/apputils';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';

import { FakeGpuMemory, FakeMemory, goOn } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { EVENTS } from '../../__tests__/samples';
import type { Phase } from '../../memory/state';
import { say } from '../../release/__tests__/plans';
import { FakeServices } from '../../release/__tests__/services';
import { addCommands } from '../commands';

const RELEASE = 'gpu-headroom:release-memory';
const CLEANUP = 'gpu-headroom:insert-cleanup-cell';
const START = 'gpu-headroom:start-helper';

describe('the commands', () => {
  let commands: CommandRegistry;
  let memory: FakeMemory;
  let page: FakeGpuMemory;
  let notebooks: INotebookTracker;
  let kernelOfNotebook: { id: string };

  beforeEach(() => {
    silenceYjs();
    Notification.manager.dismiss();
    commands = new CommandRegistry();
    memory = new FakeMemory();
    page = new FakeGpuMemory(memory);
    Object.assign(memory.kernel, { id: 'kernel-1' });
    kernelOfNotebook = { id: 'kernel-1' };
    const sessionContext = { session: { kernel: kernelOfNotebook } };
    notebooks = {
      forEach: () => undefined,
      widgetAdded: { connect: () => true },
      currentWidget: Object.assign(makePanel([{ id: 'one' }, { id: 'two' }]), {
        sessionContext
      }),
      currentChanged: new Signal<object, unknown>({}),
      activeCellChanged: new Signal<object, unknown>({})
    } as unknown as INotebookTracker;
    addCommands({
      commands,
      memory: page,
      notebooks,
      sessions: new FakeServices().sessions,
      trans: nullTranslator.load('gpu-headroom')
    });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const messages = (): string[] =>
    Notification.manager.notifications.map(({ message }) => message);

  it.each<[Phase, boolean, boolean, boolean]>([
    ['live', true, true, false],
    ['off', false, false, true],
    ['failed', false, false, false],
    ['absent', false, false, false],
    ['foreign', false, false, false],
    ['disconnected', false, false, false]
  ])('should fit the phase %s', (phase, release, cleanup, start) => {
    memory.set({ phase });
    expect(commands.isEnabled(RELEASE)).toBe(release);
    expect(commands.isEnabled(CLEANUP)).toBe(cleanup);
    expect(commands.isVisible(START)).toBe(start);
  });

  it('should be disabled without a kernel', () => {
    page.current = null;
    expect(commands.isEnabled(RELEASE)).toBe(false);
  });

  it('should notify menus when the phase changes, not at each reading', () => {
    const changed = jest.fn();
    commands.commandChanged.connect(changed);
    memory.set({});
    expect(changed).not.toHaveBeenCalled();
    memory.set({ phase: 'disconnected' });
    expect(changed).toHaveBeenCalledTimes(5);
  });

  it('should follow the kernel of another document', () => {
    const other = new FakeMemory();
    other.set({ phase: 'absent' });
    page.current = other;
    page.currentChanged.emit();
    expect(commands.isEnabled(RELEASE)).toBe(false);
    const changed = jest.fn();
    commands.commandChanged.connect(changed);
    memory.set({ phase: 'failed' });
    expect(changed).not.toHaveBeenCalled();
  });

  /** Set the clean-up cell that the kernel writes. */
  const write = (code: string | null): void => {
    const text = code === null ? 'It failed.' : 'It was written.';
    const event = {
      ...EVENTS.cleanup,
      request_id: '1',
      code,
      message: say(text)
    };
    memory.answers.cleanup = () => {
      memory.send(event);
      return Promise.resolve({ status: 'queued' });
    };
  };

  it('should insert the clean-up cell below the active one, not run', async () => {
    write('del model');
    const items = ['variable:model'];
    const notebook = notebooks.currentWidget?.content;
    if (notebook) {
      notebook.activeCellIndex = 0;
    }
    await commands.execute(CLEANUP, { items });
    expect(memory.requests).toEqual([['cleanup', { items }]]);
    const sources = notebook?.widgets.map(cell =>
      cell.model.sharedModel.getSource()
    );
    expect(sources).toEqual(['', 'del model', '']);
    expect(notebook?.activeCellIndex).toBe(1);
  });

  it('should show that it measures what a cell can free, and be canceled', async () => {
    const message = say('It was not written.');
    const ended = { ...EVENTS.cleanup, request_id: '1', code: null, message };
    memory.answers.cleanup = () => Promise.resolve({ status: 'queued' });
    memory.answers.cancel = () => {
      memory.send(ended);
      return Promise.resolve({ cancelled: true });
    };
    const done = commands.execute(CLEANUP);
    await goOn();
    expect(messages()).toEqual(['Looking for what a clean-up cell can free…']);
    const [notice] = Notification.manager.notifications;
    notice?.options.actions?.[0]?.callback(new MouseEvent('click'));
    await done;
    expect(messages()).toEqual(['It was not written.']);
    expect(notebooks.currentWidget?.content.widgets).toHaveLength(2);
  });

  it('should insert no cell into the notebook of another kernel', async () => {
    kernelOfNotebook.id = 'kernel-2';
    expect(commands.isEnabled(CLEANUP)).toBe(false);
    await commands.execute(CLEANUP);
    expect(memory.requests).toEqual([]);
  });

  it('should insert no cell for the items of a kernel that is no longer focused', async () => {
    write('del model');
    const items = ['variable:model'];
    await commands.execute(CLEANUP, { items, kernelId: 'kernel-2' });
    expect(memory.requests).toEqual([]);
    expect(messages()).toEqual([
      'No cell was inserted: another notebook has come to the front.'
    ]);
    await commands.execute(CLEANUP, { items, kernelId: memory.kernel.id });
    expect(memory.requests).toEqual([['cleanup', { items }]]);
  });

  it('should write the cell for the safe set if nothing was selected', async () => {
    write('');
    await commands.execute(CLEANUP);
    expect(memory.requests).toEqual([['cleanup', { items: null }]]);
  });

  it('should insert nothing when the helper could not write the cell', async () => {
    write(null);
    await commands.execute(CLEANUP);
    expect(notebooks.currentWidget?.content.widgets).toHaveLength(2);
    expect(messages()).toEqual(['It failed.']);
  });

  it('should insert nothing when the helper cannot write the cell', async () => {
    await commands.execute(CLEANUP);
    expect(notebooks.currentWidget?.content.widgets).toHaveLength(2);
    expect(messages()).toEqual([
      'No cell was inserted: The helper does not answer.'
    ]);
  });
});
