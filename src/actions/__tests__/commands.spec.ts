import { Notification } from '@jupyterlab/apputils';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';

import { FakeGpuMemory, FakeMemory, settle } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { RELEASED } from '../../__tests__/report';
import type { Phase } from '../../tokens';
import { addCommands } from '../commands';

const RELEASE = 'gpu-headroom:release-memory';
const CLEANUP = 'gpu-headroom:insert-cleanup-cell';
const START = 'gpu-headroom:start-helper';

describe('the commands', () => {
  let commands: CommandRegistry;
  let memory: FakeMemory;
  let page: FakeGpuMemory;
  let notebooks: INotebookTracker;

  beforeEach(() => {
    silenceYjs();
    Notification.manager.dismiss();
    commands = new CommandRegistry();
    memory = new FakeMemory();
    page = new FakeGpuMemory(memory);
    notebooks = {
      currentWidget: makePanel([{ id: 'one' }, { id: 'two' }]),
      currentChanged: new Signal<object, unknown>({})
    } as unknown as INotebookTracker;
    addCommands({
      commands,
      memory: page,
      notebooks,
      trans: nullTranslator.load('gpu-headroom')
    });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const told = (): string[] =>
    Notification.manager.notifications.map(({ message }) => message);

  it.each<[Phase, boolean, boolean, boolean]>([
    ['live', true, true, false],
    ['off', true, false, true],
    ['failed', true, false, false],
    ['absent', false, false, false],
    ['disconnected', false, false, false]
  ])('should fit the phase %s', (phase, release, cleanup, start) => {
    memory.set({ phase });
    expect(commands.isEnabled(RELEASE)).toBe(release);
    expect(commands.isEnabled(CLEANUP)).toBe(cleanup);
    expect(commands.isVisible(START)).toBe(start);
  });

  it('should be off where there is no kernel', () => {
    page.current = null;
    expect(commands.isEnabled(RELEASE)).toBe(false);
  });

  it('should be an icon with a tooltip in a toolbar', () => {
    expect(commands.label(RELEASE)).toBe('Release GPU');
    expect(commands.label(RELEASE, { toolbar: true })).toBe('');
    expect(commands.caption(RELEASE)).toContain('You lose %debug');
  });

  it('should tell menus when the phase changes, not at each reading', () => {
    const changed = jest.fn();
    commands.commandChanged.connect(changed);
    memory.set({});
    expect(changed).not.toHaveBeenCalled();
    memory.set({ phase: 'disconnected' });
    expect(changed).toHaveBeenCalledTimes(4);
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

  it('should release the safe set and tell the result', async () => {
    memory.answers.release = () =>
      Promise.resolve({ release_id: 'release-1', status: 'queued' as const });
    const done = commands.execute(RELEASE);
    await settle();
    expect(told()).toEqual(['Freeing GPU memory…']);
    memory.send(RELEASED);
    await done;
    expect(memory.requests).toEqual([
      ['release', { items: null, report_id: null }]
    ]);
    expect(told()).toEqual(['Freed 12.0 GiB: headroom 1.8 → 13.8 GiB.']);
  });

  it('should offer to take back a release that waits', async () => {
    memory.answers.release = () =>
      Promise.resolve({ release_id: 'release-1', status: 'waiting' as const });
    memory.answers.cancel = () => Promise.resolve({ cancelled: true });
    const done = commands.execute(RELEASE);
    await settle();
    expect(told()).toEqual(['Waiting: starts when the running cell ends.']);
    const [notification] = Notification.manager.notifications;
    notification?.options.actions?.[0]?.callback(new MouseEvent('click'));
    expect(memory.requests).toContainEqual([
      'cancel',
      { release_id: 'release-1' }
    ]);
    memory.send({ ...RELEASED, status: 'cancelled' });
    await done;
    expect(told()).toEqual(['Nothing was freed: taken back.']);
  });

  it('should tell in one sentence why nothing could be freed', async () => {
    await commands.execute(RELEASE);
    expect(told()).toEqual([
      'Could not free GPU memory: The helper does not answer.'
    ]);
  });

  it('should insert the clean-up cell below the active one, not run', async () => {
    memory.answers.cleanup = () => Promise.resolve({ code: 'del model' });
    const notebook = notebooks.currentWidget?.content;
    if (notebook) {
      notebook.activeCellIndex = 0;
    }
    await commands.execute(CLEANUP);
    const sources = notebook?.widgets.map(cell =>
      cell.model.sharedModel.getSource()
    );
    expect(sources).toEqual(['', 'del model', '']);
    expect(notebook?.activeCellIndex).toBe(1);
  });

  it('should insert nothing when the helper cannot write the cell', async () => {
    await commands.execute(CLEANUP);
    expect(notebooks.currentWidget?.content.widgets).toHaveLength(2);
    expect(told()).toEqual([
      'No cell was inserted: The helper does not answer.'
    ]);
  });
});
