import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';

import { FakeMemory } from '../../__tests__/memory';
import { CELL, EVENTS } from '../../__tests__/samples';
import { Task } from '../../kernel/task';
import { Notice, noticeOf } from '../notice';

const trans = nullTranslator.load('gpu-headroom');

const shown = () => Notification.manager.notifications;

const messages = (): string[] => shown().map(({ message }) => message);

/** Press the first button of the notification. */
const press = (): MouseEvent => {
  const event = new MouseEvent('click', { cancelable: true });
  shown()[0]?.options.actions?.[0]?.callback(event);
  return event;
};

beforeEach(() => {
  jest.useFakeTimers();
  Notification.manager.dismiss();
});

afterEach(() => {
  jest.useRealTimers();
});

describe('Notice', () => {
  it('should show progress after half a second, and not before', () => {
    new Notice(trans, 'Freeing…');
    jest.advanceTimersByTime(499);
    expect(messages()).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(messages()).toEqual(['Freeing…']);
  });

  it('should show only the result of work that ended by then', () => {
    const notice = new Notice(trans, 'Freeing…');
    const changed = jest.fn();
    Notification.manager.changed.connect(changed);
    notice.progress('Freeing more…');
    notice.finish('Freed 1.0 GiB.', 'success');
    jest.runAllTimers();
    Notification.manager.changed.disconnect(changed);
    expect(changed).toHaveBeenCalledTimes(1);
    expect(messages()).toEqual(['Freed 1.0 GiB.']);
  });

  it('should be one from its start to its end', () => {
    const notice = new Notice(trans, 'Freeing…');
    jest.advanceTimersByTime(500);
    notice.progress('Freeing more…');
    expect(messages()).toEqual(['Freeing more…']);
    notice.finish('Freed 1.0 GiB.', 'success');
    expect(messages()).toEqual(['Freed 1.0 GiB.']);
    expect(shown()[0]?.type).toBe('success');
  });

  it('should stay on screen when its work is canceled', () => {
    const cancel = jest.fn();
    new Notice(trans, 'Freeing…', cancel);
    jest.advanceTimersByTime(500);
    expect(press().defaultPrevented).toBe(true);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('should update again, for a JupyterLab that was still building it', () => {
    const changed = jest.fn();
    const notice = new Notice(trans, 'Freeing…');
    jest.advanceTimersByTime(500);
    notice.progress('Waiting.');
    Notification.manager.changed.connect(changed);
    notice.finish('Freed 1.0 GiB.', 'success');
    jest.runAllTimers();
    Notification.manager.changed.disconnect(changed);
    expect(changed).toHaveBeenCalledTimes(2);
    expect(messages()).toEqual(['Freed 1.0 GiB.']);
  });

  it('should show the result although its progress was dismissed', () => {
    const notice = new Notice(trans, 'Freeing…');
    jest.advanceTimersByTime(500);
    Notification.manager.dismiss();
    notice.progress('Freeing more…');
    expect(messages()).toEqual([]);
    notice.finish('Freed 1.0 GiB.', 'success');
    expect(messages()).toEqual(['Freed 1.0 GiB.']);
  });

  it('should be removed if the result is shown in another place', () => {
    const notice = new Notice(trans, 'Writing…');
    jest.advanceTimersByTime(500);
    notice.dismiss();
    new Notice(trans, 'Writing…').dismiss();
    jest.runAllTimers();
    expect(messages()).toEqual([]);
  });
});

describe('the notice of a task', () => {
  const follow = async (
    status: 'queued' | 'waiting'
  ): Promise<{ memory: FakeMemory; task: Task<'rescue'> }> => {
    const memory = new FakeMemory({
      rescue: () => Promise.resolve({ status }),
      cancel: () => Promise.resolve({ cancelled: true })
    });
    const task = new Task(memory, 'rescue', { report_id: 'report-1' });
    const said = { going: 'Saving…', waiting: () => 'Waiting.' };
    noticeOf(task, said, trans);
    await jest.advanceTimersByTimeAsync(500);
    return { memory, task };
  };

  it('should show that a cell is in the way while it is', async () => {
    const { memory } = await follow('waiting');
    expect(messages()).toEqual(['Waiting.']);
    memory.set({ cell: { ...CELL, status: 'running', end_s: null } });
    memory.set({ cell: { ...CELL, status: 'ok' } });
    expect(messages()).toEqual(['Saving…']);
  });

  it('should show that a step that cannot be interrupted completes', async () => {
    const { memory, task } = await follow('queued');
    expect(messages()).toEqual(['Saving…']);
    press();
    expect(messages()).toEqual(['Stopping after this step…']);
    expect(shown()[0]?.options.actions).toEqual([]);
    await jest.advanceTimersByTimeAsync(0);
    expect(memory.requests.at(-1)).toEqual(['cancel', { cancelled_id: '1' }]);
    memory.send({ ...EVENTS.rescue, request_id: '1' });
    await expect(task.ended).resolves.toMatchObject({ type: 'rescue' });
    expect(messages()).toHaveLength(1);
  });
});
