import {
  answer,
  EDIT,
  FailedNotebook,
  FIXED,
  fixWith,
  SOURCE
} from '../../__tests__/failednotebook';
import { type FakeMemory, goOn } from '../../__tests__/memory';
import {
  ELSEWHERE,
  FREE,
  message,
  REPORT,
  SAVE,
  SMALLER_BATCH,
  SNIPPET
} from '../../__tests__/report';
import { EVENTS } from '../../__tests__/samples';
import type { Event } from '../../protocol';
import { FailedScript, saveUntilCancelled } from './failedscript';
import { FakeFiles } from './fakefiles';

// A copy whose functions can be spied on.
jest.mock('../../lab/run', () => ({
  __esModule: true,
  ...jest.requireActual<object>('../../lab/run')
}));

const FIX = SMALLER_BATCH.id;

describe('A button that changes a notebook', () => {
  let notebook: FailedNotebook;
  let memory: FakeMemory;
  let server: FakeFiles;
  let run: jest.SpyInstance;

  beforeEach(async () => {
    server = new FakeFiles();
    notebook = await FailedNotebook.open(server.offers);
    ({ memory, run } = notebook);
  });

  afterEach(() => {
    notebook.dispose();
  });

  it('should apply an edit of the helper, and run nothing', async () => {
    await notebook.act('apply', FIX);
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
    expect(notebook.source).toBe(FIXED);
    expect(notebook.stateOf(FIX)?.status).toBe('applied');
    expect(run).not.toHaveBeenCalled();
  });

  it('should not change a read-only cell, and show why', async () => {
    notebook.panel = notebook.panelWith({ editable: false });
    await notebook.act('apply', FIX);
    expect(notebook.source).toBe(SOURCE);
    expect(notebook.stateOf(FIX)).toEqual({
      status: 'failed',
      text: 'The cell is read-only, so nothing was changed.'
    });
  });

  it('should undo an edit, unless the cell was edited since', async () => {
    await notebook.act('apply', FIX);
    await notebook.act('undo', FIX);
    expect(notebook.source).toBe(SOURCE);
    expect(notebook.stateOf(FIX)?.status).toBe('ready');

    await notebook.act('apply', FIX);
    notebook.panel.model?.cells.get(1).sharedModel.setSource('mine');
    await notebook.act('undo', FIX);
    expect(notebook.source).toBe('mine');
    expect(notebook.stateOf(FIX)).toEqual({
      status: 'failed',
      text: 'The cell was edited since, so nothing was changed.'
    });
  });

  it('should insert the code of a snippet below the failed cell', async () => {
    notebook.desk.model.dispose();
    await notebook.confirm({ ...REPORT, remedies: [SNIPPET] });
    await notebook.act('insert', SNIPPET.id);
    const cells = [...(notebook.panel.content.model?.cells ?? [])];
    expect(cells.map(cell => cell.sharedModel.getSource())).toEqual([
      'import torch',
      SOURCE,
      SNIPPET.type_this
    ]);
    expect(notebook.stateOf(SNIPPET.id)).toEqual({
      status: 'inserted',
      text: 'Inserted below, not run yet.'
    });
    expect(run).not.toHaveBeenCalled();
  });

  it('should insert no code that is not of a snippet', async () => {
    await notebook.act('insert', FREE.id);
    expect(notebook.panel.content.model?.cells).toHaveLength(2);
  });

  describe('with training state to save', () => {
    const CODE = 'def _resume(): …';
    const saved = { ...EVENTS.rescue, request_id: 'request-1', code: CODE };
    const save = async (event: Event): Promise<void> => {
      memory.answers.rescue = () => {
        setTimeout(() => {
          memory.send(event);
        });
        return answer({ id: 'request-1', status: 'queued' });
      };
      await notebook.act('save', SAVE.id);
    };

    it('should insert the code that resumes training below the failed cell', async () => {
      await save({
        ...saved,
        message: message('rescue.saved', {
          file_bytes: 4096,
          path: '/home/jo/x.pt',
          names: 'model, optimizer'
        })
      });
      expect(memory.requests).toEqual([['rescue', { report_id: 'report-1' }]]);
      expect(notebook.sources).toEqual(['import torch', SOURCE, CODE]);
      expect(notebook.stateOf(SAVE.id)).toEqual({
        status: 'inserted',
        text: 'Saved 4 KiB to `/home/jo/x.pt`: `model, optimizer`. The cell below loads it after a restart; it has not been run.'
      });
      expect(run).not.toHaveBeenCalled();
    });

    it('should show where the file is although the cell is gone', async () => {
      notebook.cellId = 'deleted';
      await save(saved);
      expect(notebook.sources).toEqual(['import torch', SOURCE]);
      expect(notebook.stateOf(SAVE.id)).toMatchObject({
        status: 'inserted',
        text: expect.stringContaining('No cell could be inserted.') as string
      });
    });

    it('should show why nothing was saved', async () => {
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
      expect(notebook.sources).toEqual(['import torch', SOURCE]);
      expect(notebook.stateOf(SAVE.id)).toEqual({
        status: 'failed',
        text: 'Nothing was saved: No space left on device.'
      });
    });
  });

  describe('with work that takes long', () => {
    let shownTexts: () => string[];

    beforeEach(() => {
      shownTexts = saveUntilCancelled(notebook);
    });

    it('should show in the report that it is saving, and end when it is canceled', async () => {
      const end = notebook.act('save', SAVE.id);
      expect(notebook.stateOf(SAVE.id)).toEqual({ status: 'begun' });
      await goOn();
      expect(notebook.stateOf(SAVE.id)).toEqual({
        status: 'running',
        text: 'Saving model and optimizer state…',
        canStop: true
      });
      void notebook.act('cancel', SAVE.id);
      expect(notebook.stateOf(SAVE.id)).toEqual({
        status: 'running',
        text: 'Stopping after this step…'
      });
      await end;
      expect(notebook.stateOf(SAVE.id)).toEqual({
        status: 'cancelled',
        text: 'English of rescue.cancelled'
      });
      expect(shownTexts()).toEqual([]);
    });
  });

  describe('with a fix of a script', () => {
    const { after: AFTER, before: BEFORE, path: PATH } = FailedScript;
    const MEANWHILE = 'main.py was edited since, so nothing was changed.';
    let script: FailedScript;
    const text = (): string | undefined => script.text;
    const said = (): [string | undefined, string | undefined] => script.said;

    beforeEach(async () => {
      script = await FailedScript.beside(notebook, server);
    });

    it('should name the cell that it runs beforehand', async () => {
      await notebook.prepare();
      expect(notebook.desk.model.runs).toEqual({ [FIX]: ['cell-7'] });
      expect(text()).toBe(BEFORE);
    });

    it('should keep the line ends of Windows, which an editor does not show', async () => {
      const [before, after] = [BEFORE, AFTER].map(each =>
        each.replace('\n', '\r\n')
      ) as [string, string];
      script.edit.old_lines = before.split('\n');
      script.edit.new_lines = after.split('\n');
      server.texts.set(PATH, before);
      server.open = { path: PATH, isDirty: false };
      await notebook.act('apply', FIX);
      expect(text()).toBe(after);
      await notebook.act('undo', FIX);
      expect(text()).toBe(before);
    });

    it('should write the file, and restore its text', async () => {
      server.open = { path: PATH, isDirty: false };
      await notebook.act('apply', FIX);
      expect(text()).toBe(AFTER);
      expect(said()).toEqual(['applied', 'Applied, not run yet.']);
      // An editor that shows the file would overwrite the new text.
      expect(server.shown).toEqual([PATH]);
      expect(notebook.source).toBe(SOURCE);

      await notebook.act('undo', FIX);
      expect(text()).toBe(BEFORE);
      expect(said()[0]).toBe('ready');
    });

    it.each([
      ['has other lines', `${BEFORE}# mine\n`],
      ['has other line ends', BEFORE.replace('\n', '\r\n')],
      ['is one line shorter', BEFORE.trim()]
    ])('should not write a file that %s', async (_, now) => {
      server.texts.set(PATH, now);
      await notebook.act('apply', FIX);
      expect(text()).toBe(now);
      expect(said()).toEqual(['changed', MEANWHILE]);
    });

    it('should not write what an editor has not saved', async () => {
      server.open = { path: PATH, isDirty: true };
      await notebook.act('apply', FIX);
      expect(text()).toBe(BEFORE);
      expect(said()).toEqual([
        'failed',
        'main.py has unsaved changes, so nothing was changed.'
      ]);
    });

    it('should not write what cannot be read or written', async () => {
      server.writable = false;
      await notebook.act('apply', FIX);
      expect(text()).toBe(BEFORE);
      expect(said()[1]).toBe('main.py is read-only, so nothing was changed.');
      server.texts.delete(PATH);
      await notebook.act('apply', FIX);
      expect(said()[1]).toBe('main.py cannot be read or written: No such file');
    });

    it('should not overwrite later changes on undo', async () => {
      await notebook.act('apply', FIX);
      server.texts.set(PATH, 'mine');
      await notebook.act('undo', FIX);
      expect(text()).toBe('mine');
      expect(said()).toEqual(['applied', MEANWHILE]);
      // Once the file is unchanged again, the edit can be undone.
      server.texts.set(PATH, AFTER);
      await notebook.act('undo', FIX);
      expect(text()).toBe(BEFORE);
    });

    it('should undo it if the kernel reads another file', async () => {
      const { fix } = memory.answers;
      const written: unknown[] = [];
      server.onSave = () => written.push(text());
      await notebook.prepare();
      const first = await fix?.({} as never);
      memory.answers.fix = () => answer(first as never);
      await notebook.act('apply', FIX);
      expect(written).toEqual([BEFORE, AFTER]);
      expect(text()).toBe(BEFORE);
      expect(said()).toEqual([
        'failed',
        'The kernel reads another copy of this file, so nothing was changed.'
      ]);
    });

    it('should edit nothing outside of the folder', async () => {
      for (const cell_id of ['../main.py', 'data.csv']) {
        server.texts.set('main.py', BEFORE).set('work/data.csv', BEFORE);
        const edit = { ...EDIT, cell_id, old_lines: BEFORE.split('\n') };
        memory.answers.fix = () => answer({ ...fixWith([]), edits: [edit] });
        await notebook.act('apply', FIX);
        expect(said()[0]).toBe('changed');
      }
      expect([...server.texts.values()]).toEqual([BEFORE, BEFORE, BEFORE]);
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

    it('should request beforehand which cells it runs, and only once', async () => {
      await notebook.prepare();
      expect(notebook.desk.model.runs).toEqual({
        [FIX]: ['cell-2', 'cell-7']
      });
      expect(notebook.asked).toEqual(['fix']);
    });
  });
});
