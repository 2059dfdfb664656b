import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { PromiseDelegate } from '@lumino/coreutils';

import {
  answer,
  FailedNotebook,
  FIXED,
  fixWith,
  SOURCE
} from '../../__tests__/failednotebook';
import { type FakeMemory, goOn } from '../../__tests__/memory';
import {
  ELSEWHERE,
  message,
  RELEASED,
  REPORT,
  SMALLER_BATCH
} from '../../__tests__/report';
import { EVENTS, RERUN_ITEM } from '../../__tests__/samples';
import { sentenceOf } from '../../text/reason';
import * as agreeing from '../cost';
import { FailedScript, saveUntilCancelled } from './failedscript';
import { FakeFiles } from './fakefiles';

// Copies whose functions can be spied on.
jest.mock('../../lab/run', () => ({
  __esModule: true,
  ...jest.requireActual<object>('../../lab/run')
}));
jest.mock('../cost', () => ({
  __esModule: true,
  ...jest.requireActual<object>('../cost')
}));

const FIX = SMALLER_BATCH.id;

describe('an edit that is run', () => {
  let notebook: FailedNotebook;
  let memory: FakeMemory;
  let server: FakeFiles;
  let run: jest.SpyInstance;
  let agree: jest.SpyInstance;

  beforeEach(async () => {
    agree = jest.spyOn(agreeing, 'agreeTo').mockResolvedValue(true);
    server = new FakeFiles();
    notebook = await FailedNotebook.open(server.offers);
    ({ memory, run } = notebook);
  });

  afterEach(() => {
    notebook.dispose();
  });

  it('should edit before it frees, and free before it runs', async () => {
    const seen: unknown[] = [];
    memory.eventReceived.connect(() => seen.push(notebook.source));
    run.mockImplementation(() => {
      seen.push(notebook.source);
      return answer(true);
    });
    await notebook.act('apply-and-run', FIX);
    expect(notebook.asked).toEqual(['fix', 'rerun', 'release']);
    expect(seen).toEqual([SOURCE, FIXED, FIXED]);
    expect(run).toHaveBeenCalledWith(
      notebook.panel,
      ['cell-7'],
      nullTranslator
    );
    expect(notebook.stateOf(FIX)?.status).toBe('applied');
  });

  it('should ask for no consent if nothing is lost', async () => {
    await notebook.act('apply-and-run', FIX);
    expect(agree).not.toHaveBeenCalled();
    expect(memory.requests[2]).toEqual([
      'release',
      {
        items: ['traceback', 'garbage', 'cache'],
        confirmed: [],
        report_id: 'report-1'
      }
    ]);
  });

  it('should free old values only with consent', async () => {
    notebook.cost = { items: [RERUN_ITEM], cautions: [], saves: false };
    memory.send(RELEASED);
    agree.mockResolvedValue(false);
    await notebook.act('apply-and-run', FIX);
    expect(notebook.asked).toEqual(['fix', 'rerun']);
    expect(notebook.source).toBe(SOURCE);
    expect(notebook.stateOf(FIX)).toEqual({
      status: 'cancelled',
      text: 'Canceled: nothing was changed.'
    });
    expect(run).not.toHaveBeenCalled();

    agree.mockResolvedValue(true);
    await notebook.act('apply-and-run', FIX);
    expect(notebook.asked.slice(2)).toEqual(['fix', 'rerun', 'release']);
    expect(memory.requests[4]?.[1]).toEqual({
      items: ['traceback', 'garbage', 'cache', RERUN_ITEM.id],
      confirmed: [RERUN_ITEM.id],
      report_id: 'report-1'
    });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('should cancel what waits for a cell, with its button', async () => {
    memory.answers.rerun = () => answer({ status: 'waiting' });
    memory.answers.cancel = () => {
      setTimeout(() => {
        const rerunEvent = { ...EVENTS.rerun, request_id: '1' };
        memory.send({ ...rerunEvent, status: 'cancelled' });
      });
      return answer({ cancelled: true });
    };
    const end = notebook.act('apply-and-run', FIX);
    await goOn();
    expect(notebook.stateOf(FIX)?.status).toBe('waiting');
    await notebook.act('cancel', FIX);
    await end;
    expect(notebook.asked).toEqual(['fix', 'rerun', 'cancel']);
    expect(notebook.stateOf(FIX)?.status).toBe('cancelled');
    expect(notebook.source).toBe(SOURCE);
    expect(run).not.toHaveBeenCalled();
  });

  it('should keep the traceback when the cell no longer matches', async () => {
    memory.answers.fix = () =>
      answer({
        status: 'changed',
        edits: [],
        run: [],
        message: message('fix.changed', { line: 12 }),
        caution: null
      });
    await notebook.act('apply-and-run', FIX);
    expect(notebook.asked).toEqual(['fix']);
    expect(notebook.stateOf(FIX)).toEqual({
      status: 'changed',
      text: 'The cell was edited after it failed; line 12 no longer matches.',
      line: 12
    });
  });

  it('should not overwrite what is typed meanwhile', async () => {
    memory.eventReceived.connect(() => {
      notebook.panel.model?.cells.get(1).sharedModel.setSource('typed');
    });
    await notebook.act('apply-and-run', FIX);
    expect(notebook.source).toBe('typed');
    expect(notebook.stateOf(FIX)).toEqual({
      status: 'failed',
      text: 'A cell that would run was edited or deleted meanwhile.'
    });
    expect(notebook.asked).toEqual(['fix', 'rerun']);
    expect(run).not.toHaveBeenCalled();
  });

  it('should not run when the release fails', async () => {
    memory.eventReceived.connect(() => undefined);
    memory.answers.release = () => {
      setTimeout(() => {
        memory.send({
          ...RELEASED,
          status: 'failed',
          message: message('released.failed', { error: 'boom' })
        });
      });
      return answer({ release_id: 'release-1', status: 'queued' });
    };
    await notebook.act('apply-and-run', FIX);
    expect(notebook.source).toBe(SOURCE);
    expect(run).not.toHaveBeenCalled();
    expect(notebook.stateOf(FIX)).toEqual({
      status: 'failed',
      text: 'Could not free GPU memory: The release stopped early: boom.'
    });
  });

  describe('with work that takes long', () => {
    let shownTexts: () => string[];

    beforeEach(() => {
      shownTexts = saveUntilCancelled(notebook);
    });

    it('should show that it is saving while no dialog does', async () => {
      notebook.cost = { items: [RERUN_ITEM], cautions: [], saves: true };
      const asking = new PromiseDelegate<string>();
      agree.mockImplementation(
        async (_: unknown, { save }: { save: () => Promise<string> }) => {
          asking.resolve(await save().catch(sentenceOf));
          return false;
        }
      );
      const end = notebook.act('apply-and-run', FIX);
      await goOn();
      await goOn();
      expect(shownTexts()).toEqual(['Saving model and optimizer state…']);
      const [notice] = Notification.manager.notifications;
      notice?.options.actions?.[0]?.callback(new MouseEvent('click'));
      await end;
      await expect(asking.promise).resolves.toBe('English of rescue.cancelled');
      expect(shownTexts()).toEqual([]);
    });

    it('should not repeat its notification in the report', async () => {
      notebook.cost = { items: [RERUN_ITEM], cautions: [], saves: false };
      const agreed = new PromiseDelegate<boolean>();
      agree.mockReturnValue(agreed.promise);
      const end = notebook.act('make-it-fit', FIX);
      await goOn();
      expect(notebook.stateOf(FIX)).toEqual({ status: 'begun' });
      expect(shownTexts()).toEqual(['Checking the cost of running it again…']);
      await notebook.act('apply-and-run', FIX);
      expect(notebook.stateOf(FIX)).toEqual({
        status: 'failed',
        text: 'Another try is already running in this kernel.'
      });
      agreed.resolve(false);
      await end;
      expect(notebook.stateOf(FIX)).toEqual({ status: 'ready' });
      expect(shownTexts()).toEqual(['Canceled: nothing was changed.']);
    });
  });

  describe('with a fix of a script', () => {
    const { after: AFTER, before: BEFORE, path: PATH } = FailedScript;
    let script: FailedScript;
    const text = (): string | undefined => script.text;
    const said = (): [string | undefined, string | undefined] => script.said;

    beforeEach(async () => {
      script = await FailedScript.beside(notebook, server);
    });

    it('should send no text of a file', async () => {
      await notebook.act('apply-and-run', FIX);
      expect(notebook.asked).toEqual(['fix', 'rerun', 'fix', 'release']);
      expect(JSON.stringify(memory.requests)).not.toContain('main.py');
      expect(text()).toBe(AFTER);
      expect(run).toHaveBeenCalledWith(
        notebook.panel,
        ['cell-7'],
        nullTranslator
      );
    });

    it('should not write what an editor has not saved', async () => {
      server.open = { path: PATH, isDirty: true };
      await notebook.act('apply-and-run', FIX);
      expect(text()).toBe(BEFORE);
      expect(said()[0]).toBe('failed');
      expect(run).not.toHaveBeenCalled();
    });

    it('should keep its button if the text cannot be restored', async () => {
      memory.answers.release = () => {
        server.texts.set(PATH, 'mine');
        setTimeout(() => {
          memory.send({ ...RELEASED, status: 'cancelled' });
        });
        return answer({ release_id: 'release-1', status: 'queued' });
      };
      await notebook.act('apply-and-run', FIX);
      expect(run).not.toHaveBeenCalled();
      expect(text()).toBe('mine');
      expect(said()[0]).toBe('applied');
    });
  });

  describe('with a fix of an earlier cell', () => {
    beforeEach(async () => {
      notebook.desk.model.dispose();
      await notebook.confirm({
        ...REPORT,
        remedies: [ELSEWHERE]
      });
      memory.answers.fix = () => answer(fixWith(['cell-2', 'cell-7']));
      await notebook.prepare();
    });

    it('should run those cells in order', async () => {
      await notebook.act('apply-and-run', FIX);
      expect(run).toHaveBeenCalledWith(
        notebook.panel,
        ['cell-2', 'cell-7'],
        nullTranslator
      );
    });

    it('should not run cells that its button did not name', async () => {
      memory.answers.fix = () => answer(fixWith(['cell-7']));
      await notebook.act('apply-and-run', FIX);
      expect(notebook.source).toBe(SOURCE);
      expect(run).not.toHaveBeenCalled();
      expect(notebook.stateOf(FIX)?.status).toBe('failed');
      await notebook.act('apply-and-run', FIX);
      expect(run).toHaveBeenCalledTimes(1);
    });
  });
});
