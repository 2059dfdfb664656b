import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { PromiseDelegate } from '@lumino/coreutils';

import { FakeFiles } from '../../__tests__/files';
import { FakeMemory, goOn, settle } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import {
  ELSEWHERE,
  FREE,
  IN_FILE,
  message,
  RELEASED,
  REPORT,
  SAVE,
  SMALLER_BATCH,
  SNIPPET
} from '../../__tests__/report';
import { EVENTS, RERUN_ITEM } from '../../__tests__/samples';
import * as running from '../../editing/run';
import * as agreeing from '../../fit/agreeing';
import type { Event, IEdit, IReport, IRerun } from '../../protocol';
import { sentenceOf } from '../../text/reason';
import { FakeServices } from '../../release/__tests__/services';
import { ReportController } from '../controller';
import { ReportModel } from '../model';
import type { ISite } from '../place';

// Copies whose functions can be spied on.
jest.mock('../../editing/run', () => ({
  __esModule: true,
  ...jest.requireActual<object>('../../editing/run')
}));
jest.mock('../../fit/agreeing', () => ({
  __esModule: true,
  ...jest.requireActual<object>('../../fit/agreeing')
}));

const SOURCE = 'batch_size = 1024\ntrain()';
const FIXED = 'batch_size = 512\ntrain()';
const FIX = SMALLER_BATCH.id;

const EDIT = {
  cell_id: 'cell-7',
  first_line: 1,
  old_lines: ['batch_size = 1024'],
  new_lines: ['batch_size = 512']
};

describe('ReportController', () => {
  let memory: FakeMemory;
  let controller: ReportController;
  let site: ISite;
  let run: jest.SpyInstance;
  let agree: jest.SpyInstance;
  let server: FakeFiles;
  let cost: Pick<IRerun, 'items' | 'cautions' | 'saves'>;

  beforeEach(async () => {
    silenceYjs();
    server = new FakeFiles();
    cost = { items: [], cautions: [], saves: false };
    agree = jest.spyOn(agreeing, 'agreeTo').mockResolvedValue(true);
    run = jest.spyOn(running, 'runCells').mockResolvedValue(true);
    memory = new FakeMemory({
      report: () => answer({ status: 'known', report: REPORT, released: null }),
      fix: () => answer(ok(['cell-7'])),
      rerun: () => {
        setTimeout(() => {
          memory.send({ ...EVENTS.rerun, request_id: '1', ...cost });
        });
        return answer({ status: 'queued' });
      },
      release: () => {
        // The result comes when the helper is done, after its answer.
        setTimeout(() => {
          memory.send(RELEASED);
        });
        return answer({ release_id: 'release-1', status: 'queued' });
      }
    });
    site = { panel: panelWith(), cellId: 'cell-7' };
    controller = await confirmed();
  });

  afterEach(() => {
    controller.model.dispose();
    jest.restoreAllMocks();
  });

  const answer = <T>(reply: T): Promise<T> => Promise.resolve(reply);
  const ok = (cells: string[]) => ({
    status: 'ok' as const,
    edits: [EDIT],
    run: cells,
    message: message('fix.ok'),
    caution: null
  });
  const panelWith = (metadata = {}) =>
    makePanel([
      { id: 'cell-2', source: 'import torch', count: 2 },
      { id: 'cell-7', source: SOURCE, count: 7, metadata }
    ]);
  const source = (): string | undefined =>
    site.panel.model?.cells.get(1).sharedModel.getSource();
  const asked = (): string[] => memory.requests.map(([type]) => type);
  const stateOf = (id: string) => controller.model.remedies[id];

  async function confirmed(report: IReport = REPORT) {
    memory.answers.report = () =>
      answer({ status: 'known', report, released: null });
    const releases = new FakeServices().sessions.get(memory);
    const trans = nullTranslator.load('gpu-headroom');
    const made = new ReportController(
      new ReportModel(releases, REPORT, trans),
      releases,
      server.files,
      nullTranslator
    );
    await settle();
    memory.requests.length = 0;
    return made;
  }

  it('should apply an edit of the helper, and run nothing', async () => {
    await controller.act('apply', FIX, site);
    expect(memory.requests).toEqual([
      [
        'fix',
        {
          report_id: 'report-1',
          remedy_id: FIX,
          sources: { 'cell-2': 'import torch', 'cell-7': SOURCE }
        }
      ]
    ]);
    expect(source()).toBe(FIXED);
    expect(stateOf(FIX)?.status).toBe('applied');
    expect(run).not.toHaveBeenCalled();
  });

  it('should edit before it frees, and free before it runs', async () => {
    const seen: unknown[] = [];
    memory.eventReceived.connect(() => seen.push(source()));
    run.mockImplementation(() => {
      seen.push(source());
      return answer(true);
    });
    await controller.act('apply-and-run', FIX, site);
    expect(asked()).toEqual(['fix', 'rerun', 'release']);
    expect(seen).toEqual([SOURCE, FIXED, FIXED]);
    expect(run).toHaveBeenCalledWith(site.panel, ['cell-7'], nullTranslator);
    expect(stateOf(FIX)?.status).toBe('applied');
  });

  it('should ask nothing where nothing is lost', async () => {
    await controller.act('apply-and-run', FIX, site);
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

  it('should let go of old values only where the person agrees', async () => {
    cost = { items: [RERUN_ITEM], cautions: [], saves: false };
    memory.send(RELEASED);
    agree.mockResolvedValue(false);
    await controller.act('apply-and-run', FIX, site);
    expect(asked()).toEqual(['fix', 'rerun']);
    expect(source()).toBe(SOURCE);
    expect(stateOf(FIX)).toEqual({
      status: 'cancelled',
      text: 'Cancelled: nothing was changed.'
    });
    expect(run).not.toHaveBeenCalled();

    agree.mockResolvedValue(true);
    await controller.act('apply-and-run', FIX, site);
    expect(asked().slice(2)).toEqual(['fix', 'rerun', 'release']);
    expect(memory.requests[4]?.[1]).toEqual({
      items: ['traceback', 'garbage', 'cache', RERUN_ITEM.id],
      confirmed: [RERUN_ITEM.id],
      report_id: 'report-1'
    });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('should take back what waits for a cell, with its button', async () => {
    memory.answers.rerun = () => answer({ status: 'waiting' });
    memory.answers.cancel = () => {
      setTimeout(() => {
        const told = { ...EVENTS.rerun, request_id: '1' };
        memory.send({ ...told, status: 'cancelled' });
      });
      return answer({ cancelled: true });
    };
    const end = controller.act('apply-and-run', FIX, site);
    await goOn();
    expect(stateOf(FIX)?.status).toBe('waiting');
    await controller.act('cancel', FIX, site);
    await end;
    expect(asked()).toEqual(['fix', 'rerun', 'cancel']);
    expect(stateOf(FIX)?.status).toBe('cancelled');
    expect(source()).toBe(SOURCE);
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
    await controller.act('apply-and-run', FIX, site);
    expect(asked()).toEqual(['fix']);
    expect(stateOf(FIX)).toEqual({
      status: 'changed',
      text: 'The cell was edited after it failed; line 12 no longer matches.',
      line: 12
    });
  });

  it('should not overwrite what is typed meanwhile', async () => {
    memory.eventReceived.connect(() => {
      site.panel.model?.cells.get(1).sharedModel.setSource('typed');
    });
    await controller.act('apply-and-run', FIX, site);
    expect(source()).toBe('typed');
    expect(stateOf(FIX)).toEqual({
      status: 'failed',
      text: 'A cell that would run was edited or deleted meanwhile.'
    });
    expect(asked()).toEqual(['fix', 'rerun']);
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
    await controller.act('apply-and-run', FIX, site);
    expect(source()).toBe(SOURCE);
    expect(run).not.toHaveBeenCalled();
    expect(stateOf(FIX)).toEqual({
      status: 'failed',
      text: 'Could not free it: The release stopped early: boom.'
    });
  });

  it('should leave a read-only cell alone and say so', async () => {
    site = { panel: panelWith({ editable: false }), cellId: 'cell-7' };
    await controller.act('apply', FIX, site);
    expect(source()).toBe(SOURCE);
    expect(stateOf(FIX)).toEqual({
      status: 'failed',
      text: 'The cell is read-only, so nothing was changed.'
    });
  });

  it('should undo an edit, unless the cell was edited since', async () => {
    await controller.act('apply', FIX, site);
    await controller.act('undo', FIX, site);
    expect(source()).toBe(SOURCE);
    expect(stateOf(FIX)?.status).toBe('ready');

    await controller.act('apply', FIX, site);
    site.panel.model?.cells.get(1).sharedModel.setSource('mine');
    await controller.act('undo', FIX, site);
    expect(source()).toBe('mine');
    expect(stateOf(FIX)).toEqual({
      status: 'failed',
      text: 'The cell was edited since, so nothing was undone.'
    });
  });

  it('should run the failed cell again', async () => {
    await controller.act('run', null, site);
    expect(run).toHaveBeenCalledWith(site.panel, ['cell-7'], nullTranslator);
  });

  it('should take back a release that waits', async () => {
    memory.answers.cancel = () => answer({ cancelled: true });
    memory.answers.release = () =>
      answer({ release_id: 'release-1', status: 'waiting' });
    const done = controller.act('release', FREE.id, site);
    await goOn();
    expect(stateOf(FREE.id)?.status).toBe('waiting');
    await controller.act('cancel', FREE.id, site);
    expect(memory.requests).toContainEqual([
      'cancel',
      { cancelled_id: 'release-1' }
    ]);
    memory.send({ ...RELEASED, status: 'cancelled' });
    await done;
    expect(stateOf(FREE.id)?.status).toBe('cancelled');
  });

  it('should say why nothing was freed', async () => {
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
    await controller.act('release', FREE.id, site);
    expect(stateOf(FREE.id)).toEqual({
      status: 'failed',
      text: 'Nothing was freed.'
    });
  });

  it('should insert the code of a snippet below the failed cell', async () => {
    controller.model.dispose();
    controller = await confirmed({ ...REPORT, remedies: [SNIPPET] });
    await controller.act('insert', SNIPPET.id, site);
    const cells = [...(site.panel.content.model?.cells ?? [])];
    expect(cells.map(cell => cell.sharedModel.getSource())).toEqual([
      'import torch',
      SOURCE,
      SNIPPET.type_this
    ]);
    expect(stateOf(SNIPPET.id)).toEqual({
      status: 'inserted',
      text: 'Inserted below, not run yet.'
    });
    expect(run).not.toHaveBeenCalled();
  });

  it('should insert no code that is not of a snippet', async () => {
    await controller.act('insert', FREE.id, site);
    expect(site.panel.content.model?.cells).toHaveLength(2);
  });

  describe('with a training to save', () => {
    const CODE = 'def _resume(): …';
    const saved = { ...EVENTS.rescue, request_id: 'request-1', code: CODE };
    const save = async (event: Event): Promise<void> => {
      memory.answers.rescue = () => {
        setTimeout(() => {
          memory.send(event);
        });
        return answer({ id: 'request-1', status: 'queued' });
      };
      await controller.act('save', SAVE.id, site);
    };
    const sources = (): string[] =>
      [...(site.panel.content.model?.cells ?? [])].map(cell =>
        cell.sharedModel.getSource()
      );

    it('should insert the code that goes on below the failed cell', async () => {
      await save({
        ...saved,
        message: message('rescue.saved', {
          file_bytes: 4096,
          path: '/home/jo/x.pt',
          names: 'model, optimizer'
        })
      });
      expect(memory.requests).toEqual([['rescue', { report_id: 'report-1' }]]);
      expect(sources()).toEqual(['import torch', SOURCE, CODE]);
      expect(stateOf(SAVE.id)).toEqual({
        status: 'inserted',
        text: 'Saved 4 KiB to `/home/jo/x.pt`: `model, optimizer`. The cell below loads it after a restart; it has not been run.'
      });
      expect(run).not.toHaveBeenCalled();
    });

    it('should say where the file is although the cell is gone', async () => {
      site = { ...site, cellId: 'deleted' };
      await save(saved);
      expect(sources()).toEqual(['import torch', SOURCE]);
      expect(stateOf(SAVE.id)).toMatchObject({
        status: 'inserted',
        text: expect.stringContaining('No cell could be inserted.') as string
      });
    });

    it('should say why nothing was saved', async () => {
      const why = message('rescue.failed', {
        error: 'No space left on device'
      });
      await save({
        ...saved,
        path: null,
        bytes: null,
        code: null,
        message: why
      });
      expect(sources()).toEqual(['import torch', SOURCE]);
      expect(stateOf(SAVE.id)).toEqual({
        status: 'failed',
        text: 'Nothing was saved: No space left on device.'
      });
    });
  });

  describe('with work that takes long', () => {
    const nothing = {
      path: null,
      bytes: null,
      code: null,
      message: message('rescue.cancelled')
    };
    const told = (): string[] =>
      Notification.manager.notifications.map(({ message: text }) => text);

    beforeEach(() => {
      Notification.manager.dismiss();
      memory.answers.rescue = () => answer({ status: 'queued' });
      memory.answers.cancel = () => {
        setTimeout(() => {
          memory.send({ ...EVENTS.rescue, request_id: '1', ...nothing });
        });
        return answer({ cancelled: true });
      };
    });

    it('should say on the card that it saves, and end when it is cancelled', async () => {
      const end = controller.act('save', SAVE.id, site);
      expect(stateOf(SAVE.id)).toEqual({ status: 'begun' });
      await goOn();
      expect(stateOf(SAVE.id)).toEqual({
        status: 'running',
        text: 'Saving model and optimizer state…',
        canStop: true
      });
      void controller.act('cancel', SAVE.id, site);
      expect(stateOf(SAVE.id)).toEqual({
        status: 'running',
        text: 'Stopping after this step…'
      });
      await end;
      expect(stateOf(SAVE.id)).toEqual({
        status: 'cancelled',
        text: 'English of rescue.cancelled'
      });
      expect(told()).toEqual([]);
    });

    it('should tell that it saves while no question is there to say it', async () => {
      cost = { items: [RERUN_ITEM], cautions: [], saves: true };
      const asking = new PromiseDelegate<string>();
      agree.mockImplementation(
        async (_: unknown, { save }: { save: () => Promise<string> }) => {
          asking.resolve(await save().catch(sentenceOf));
          return false;
        }
      );
      const end = controller.act('apply-and-run', FIX, site);
      await goOn();
      await goOn();
      expect(told()).toEqual(['Saving model and optimizer state…']);
      const [notice] = Notification.manager.notifications;
      notice?.options.actions?.[0]?.callback(new MouseEvent('click'));
      await end;
      await expect(asking.promise).resolves.toBe('English of rescue.cancelled');
      expect(told()).toEqual([]);
    });

    it('should say nothing on the card of what its notification tells', async () => {
      cost = { items: [RERUN_ITEM], cautions: [], saves: false };
      const agreed = new PromiseDelegate<boolean>();
      agree.mockReturnValue(agreed.promise);
      const end = controller.act('make-it-fit', FIX, site);
      // What it is made of is loaded with the first press.
      await import('../../fit/makeitfit');
      await goOn();
      expect(stateOf(FIX)).toEqual({ status: 'begun' });
      expect(told()).toEqual(['Asking what may be lost…']);
      await controller.act('apply-and-run', FIX, site);
      expect(stateOf(FIX)).toEqual({
        status: 'failed',
        text: 'Another try is on its way in this kernel.'
      });
      agreed.resolve(false);
      await end;
      expect(stateOf(FIX)).toEqual({ status: 'ready' });
      expect(told()).toEqual(['Cancelled: nothing was changed.']);
    });
  });

  describe('with a fix of a script', () => {
    const PATH = 'work/main.py';
    const BEFORE = 'batch_size = 1024\n';
    const AFTER = 'batch_size = 512\n';
    const MEANWHILE = 'main.py was changed meanwhile, so it is left as it is.';
    let edit: IEdit;
    const text = (): string | undefined => server.texts.get(PATH);
    const said = (): [string | undefined, string | undefined] => {
      const state = stateOf(FIX);
      return [state?.status, state && 'text' in state ? state.text : ''];
    };

    beforeEach(async () => {
      controller.model.dispose();
      controller = await confirmed({ ...REPORT, remedies: [IN_FILE] });
      server.texts.set(PATH, BEFORE);
      edit = {
        cell_id: 'main.py',
        first_line: 1,
        old_lines: BEFORE.split('\n'),
        new_lines: AFTER.split('\n')
      };
      memory.answers.fix = () =>
        answer(
          text()?.replace('\r', '') === AFTER
            ? { ...ok([]), status: 'changed', edits: [] }
            : { ...ok(['cell-7']), edits: [edit] }
        );
    });

    it('should name beforehand the cell that it runs', async () => {
      await controller.prepare(site.panel);
      expect(controller.model.runs).toEqual({ [FIX]: ['cell-7'] });
      expect(text()).toBe(BEFORE);
    });

    it('should keep the line ends of Windows, which an editor does not show', async () => {
      const [before, after] = [BEFORE, AFTER].map(each =>
        each.replace('\n', '\r\n')
      ) as [string, string];
      edit.old_lines = before.split('\n');
      edit.new_lines = after.split('\n');
      server.texts.set(PATH, before);
      server.open = { path: PATH, isDirty: false };
      await controller.act('apply', FIX, site);
      expect(text()).toBe(after);
      await controller.act('undo', FIX, site);
      expect(text()).toBe(before);
    });

    it('should write the file, and put its text back', async () => {
      server.open = { path: PATH, isDirty: false };
      await controller.act('apply', FIX, site);
      expect(text()).toBe(AFTER);
      expect(said()).toEqual(['applied', 'Applied to main.py, not run yet.']);
      // An editor that shows it would write the old text over the new one.
      expect(server.shown).toEqual([PATH]);
      expect(source()).toBe(SOURCE);

      await controller.act('undo', FIX, site);
      expect(text()).toBe(BEFORE);
      expect(said()[0]).toBe('ready');
    });

    it('should send no text of a file', async () => {
      await controller.act('apply-and-run', FIX, site);
      expect(asked()).toEqual(['fix', 'rerun', 'fix', 'release']);
      expect(JSON.stringify(memory.requests)).not.toContain('main.py');
      expect(text()).toBe(AFTER);
      expect(run).toHaveBeenCalledWith(site.panel, ['cell-7'], nullTranslator);
    });

    it.each([
      ['has other lines', `${BEFORE}# mine\n`],
      ['has other line ends', BEFORE.replace('\n', '\r\n')],
      ['is one line shorter', BEFORE.trim()]
    ])('should not write a file that %s', async (_, now) => {
      server.texts.set(PATH, now);
      await controller.act('apply', FIX, site);
      expect(text()).toBe(now);
      expect(said()).toEqual(['changed', MEANWHILE]);
    });

    it('should not write what an editor has not saved', async () => {
      server.open = { path: PATH, isDirty: true };
      for (const name of ['apply', 'apply-and-run'] as const) {
        await controller.act(name, FIX, site);
        expect(text()).toBe(BEFORE);
        expect(said()).toEqual([
          'failed',
          'main.py has changes that are not saved, so it is left as it is.'
        ]);
      }
      expect(run).not.toHaveBeenCalled();
    });

    it('should not write what cannot be read or written', async () => {
      server.writable = false;
      await controller.act('apply', FIX, site);
      expect(text()).toBe(BEFORE);
      expect(said()[1]).toBe('main.py is read-only, so nothing was changed.');
      server.texts.delete(PATH);
      await controller.act('apply', FIX, site);
      expect(said()[1]).toBe('main.py cannot be read or written: No such file');
    });

    it('should not put back over what was written since', async () => {
      await controller.act('apply', FIX, site);
      server.texts.set(PATH, 'mine');
      await controller.act('undo', FIX, site);
      expect(text()).toBe('mine');
      expect(said()).toEqual(['applied', MEANWHILE]);
      // Once it is as it was left, it can be taken back.
      server.texts.set(PATH, AFTER);
      await controller.act('undo', FIX, site);
      expect(text()).toBe(BEFORE);
    });

    it('should take it back where the kernel reads another file', async () => {
      const { fix } = memory.answers;
      const written: unknown[] = [];
      server.onSave = () => written.push(text());
      await controller.prepare(site.panel);
      const first = await fix?.({} as never);
      memory.answers.fix = () => answer(first as never);
      await controller.act('apply', FIX, site);
      expect(written).toEqual([BEFORE, AFTER]);
      expect(text()).toBe(BEFORE);
      expect(said()).toEqual([
        'failed',
        'The kernel reads this file elsewhere, so nothing was changed.'
      ]);
    });

    it('should keep its button where the text cannot be put back', async () => {
      memory.answers.release = () => {
        server.texts.set(PATH, 'mine');
        setTimeout(() => {
          memory.send({ ...RELEASED, status: 'cancelled' });
        });
        return answer({ release_id: 'release-1', status: 'queued' });
      };
      await controller.act('apply-and-run', FIX, site);
      expect(run).not.toHaveBeenCalled();
      expect(text()).toBe('mine');
      expect(said()[0]).toBe('applied');
    });

    it('should edit nothing outside of the folder', async () => {
      for (const cell_id of ['../main.py', 'data.csv']) {
        server.texts.set('main.py', BEFORE).set('work/data.csv', BEFORE);
        const edit = { ...EDIT, cell_id, old_lines: BEFORE.split('\n') };
        memory.answers.fix = () => answer({ ...ok([]), edits: [edit] });
        await controller.act('apply', FIX, site);
        expect(said()[0]).toBe('changed');
      }
      expect([...server.texts.values()]).toEqual([BEFORE, BEFORE, BEFORE]);
    });
  });

  describe('with a fix of an earlier cell', () => {
    beforeEach(async () => {
      controller.model.dispose();
      controller = await confirmed({
        ...REPORT,
        remedies: [ELSEWHERE]
      });
      memory.answers.fix = () => answer(ok(['cell-2', 'cell-7']));
      await controller.prepare(site.panel);
    });

    it('should know beforehand which cells it runs, and ask once', async () => {
      await controller.prepare(site.panel);
      expect(controller.model.runs).toEqual({ [FIX]: ['cell-2', 'cell-7'] });
      expect(asked()).toEqual(['fix']);
    });

    it('should run those cells in their order', async () => {
      await controller.act('apply-and-run', FIX, site);
      expect(run).toHaveBeenCalledWith(
        site.panel,
        ['cell-2', 'cell-7'],
        nullTranslator
      );
    });

    it('should not run cells that its button did not name', async () => {
      memory.answers.fix = () => answer(ok(['cell-7']));
      await controller.act('apply-and-run', FIX, site);
      expect(source()).toBe(SOURCE);
      expect(run).not.toHaveBeenCalled();
      expect(stateOf(FIX)?.status).toBe('failed');
      await controller.act('apply-and-run', FIX, site);
      expect(run).toHaveBeenCalledTimes(1);
    });
  });
});
