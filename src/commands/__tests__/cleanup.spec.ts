import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';

import { expectAsItIs, NOTEBOOKS } from '../../__tests__/locks';
import { FakeMemory, settle } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { EVENTS } from '../../__tests__/samples';
import { insertCleanupCell } from '../cleanup';

const trans = nullTranslator.load('gpu-headroom');

it.each(NOTEBOOKS)(
  'a notebook %s should get no clean-up cell, with a message',
  async (_, lock) => {
    silenceYjs();
    Notification.manager.dismiss();
    const panel = makePanel([{ id: 'one', source: 'x = 1' }]);
    const memory = new FakeMemory({
      cleanup: () => {
        memory.send({ ...EVENTS.cleanup, request_id: '1', code: 'del x' });
        return Promise.resolve({ status: 'queued' });
      }
    });
    await expectAsItIs(panel, lock, () =>
      insertCleanupCell(memory, panel, null, trans)
    );
    await settle();
    expect(
      Notification.manager.notifications.map(each => each.message)
    ).toEqual(['No cell was inserted: The notebook is read-only.']);
  }
);
