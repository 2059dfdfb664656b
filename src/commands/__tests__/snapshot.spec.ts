import { Clipboard, Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';

import { FakeMemory } from '../../__tests__/memory';
import { EVENTS } from '../../__tests__/samples';
import type { ISnapshot } from '../../protocol';
import { saveSnapshot } from '../snapshot';

const trans = nullTranslator.load('gpu-headroom');

describe('saving a memory snapshot', () => {
  const save = async (
    status: 'queued' | 'waiting',
    written: Partial<ISnapshot>
  ): Promise<Notification.INotification | undefined> => {
    const memory = new FakeMemory({
      snapshot: () => {
        memory.send({ ...EVENTS.snapshot, request_id: 'another' });
        memory.send({ ...EVENTS.snapshot, request_id: '1', ...written });
        return Promise.resolve({ status });
      }
    });
    await saveSnapshot(memory, trans);
    expect(memory.requests).toEqual([['snapshot', { path: null }]]);
    return Notification.manager.notifications[0];
  };

  it('should name a file on Windows by its last part', async () => {
    const notice = await save('waiting', { path: 'C:\\Users\\jo\\a.pickle' });
    expect(notice?.message).toBe('Memory snapshot saved: a.pickle (4 KiB)');
  });

  it('should name the file and offer its path, longer on screen than a result', async () => {
    const notice = await save('waiting', { path: '/home/jo/a.pickle' });
    expect(notice?.message).toBe('Memory snapshot saved: a.pickle (4 KiB)');
    expect(notice?.options.autoClose).toBe(20_000);
    const copied = jest.spyOn(Clipboard, 'copyToSystem').mockReturnValue();
    notice?.options.actions?.[0]?.callback(new MouseEvent('click'));
    expect(copied).toHaveBeenCalledWith('/home/jo/a.pickle');
  });

  it('should show why nothing was written', async () => {
    const message = {
      id: 'unknown',
      template: 'No `torch` here.',
      params: {},
      text: 'No `torch` here.'
    };
    const notice = await save('queued', { path: null, bytes: null, message });
    expect(notice?.message).toBe('No torch here.');
  });

  it('should show that the helper refused', async () => {
    await saveSnapshot(new FakeMemory(), trans);
    const [notice] = Notification.manager.notifications;
    expect(notice?.message).toBe(
      'No memory snapshot was saved: The helper does not answer.'
    );
    expect(notice?.type).toBe('error');
  });
});
