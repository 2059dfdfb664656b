import { nullTranslator } from '@jupyterlab/translation';

import { answer, FailedNotebook } from '../../__tests__/failednotebook';
import { type FakeMemory, goOn } from '../../__tests__/memory';
import { FREE, message, RELEASED } from '../../__tests__/report';

// A copy whose functions can be spied on.
jest.mock('../../lab/run', () => ({
  __esModule: true,
  ...jest.requireActual<object>('../../lab/run')
}));

describe('A button of a report', () => {
  let notebook: FailedNotebook;
  let memory: FakeMemory;
  let run: jest.SpyInstance;

  beforeEach(async () => {
    notebook = await FailedNotebook.open();
    ({ memory, run } = notebook);
  });

  afterEach(() => {
    notebook.dispose();
  });

  it('should run the failed cell again', async () => {
    await notebook.act('rerun', null);
    expect(run).toHaveBeenCalledWith(
      notebook.panel,
      ['cell-7'],
      nullTranslator
    );
  });

  it('should cancel a release that waits', async () => {
    memory.answers.cancel = () => answer({ cancelled: true });
    memory.answers.release = () =>
      answer({ release_id: 'release-1', status: 'waiting' });
    const done = notebook.act('release', FREE.id);
    await goOn();
    expect(notebook.stateOf(FREE.id)?.status).toBe('waiting');
    await notebook.act('cancel', FREE.id);
    expect(memory.requests).toContainEqual([
      'cancel',
      { cancelled_id: 'release-1' }
    ]);
    memory.send({ ...RELEASED, status: 'cancelled' });
    await done;
    expect(notebook.stateOf(FREE.id)?.status).toBe('cancelled');
  });

  it('should show why nothing was freed', async () => {
    memory.answers.release = () => {
      setTimeout(() => {
        memory.send({
          ...RELEASED,
          status: 'nothing',
          message: message('released.nothing')
        });
      });
      return answer({ release_id: 'release-1', status: 'queued' });
    };
    await notebook.act('release', FREE.id);
    expect(notebook.stateOf(FREE.id)).toEqual({
      status: 'failed',
      text: 'Nothing was freed.'
    });
  });
});
