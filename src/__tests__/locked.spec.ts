import { Notification } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { insertCleanupCell } from '../commands/cleanup';
import {
  apply,
  type IAppliedEdit,
  ofCell,
  prepare,
  revert
} from '../editing/edit';
import { findFix, makeFix } from '../editing/fix';
import { insertBelow } from '../editing/insertion';
import type { IEdit } from '../protocol';
import { FakeFiles } from './files';
import { FakeMemory, settle } from './memory';
import { makePanel, silenceYjs } from './notebook';
import { message } from './report';
import { EVENTS } from './samples';

const trans = nullTranslator.load('gpu-headroom');

const SOURCE = 'batch_size = 64';

const EDIT: IEdit = {
  cell_id: 'one',
  first_line: 1,
  old_lines: [SOURCE],
  new_lines: ['batch_size = 32']
};

type Lock = (panel: NotebookPanel) => void;

/** How a notebook is locked: by its file, and by JupyterLab 4.7's word for it. */
const NOTEBOOKS: [string, Lock][] = [
  [
    'whose file is read-only',
    ({ model }) => {
      if (model) {
        model.readOnly = true;
      }
    }
  ],
  [
    'that is view-only',
    ({ content }) => Object.defineProperty(content, 'viewOnly', { value: true })
  ]
];

const cellOf = ({ content }: NotebookPanel): NotebookPanel['content'] =>
  content.widgets[0] as never;

/** How one of its cells is. */
const CELLS: [string, Lock][] = [
  [
    'whose cell is not editable',
    ({ model }) => model?.cells.get(0).setMetadata('editable', false)
  ],
  [
    'whose cell is shown read-only',
    panel => Object.defineProperty(cellOf(panel), 'readOnly', { value: true })
  ],
  [
    'whose cell is view-only',
    panel => Object.defineProperty(cellOf(panel), 'viewOnly', { value: true })
  ]
];

describe('a notebook in which nothing is to be changed', () => {
  let panel: NotebookPanel;
  let memory: FakeMemory;

  beforeEach(() => {
    silenceYjs();
    Notification.manager.dismiss();
    panel = makePanel([
      { id: 'one', source: SOURCE },
      { id: 'two', source: SOURCE }
    ]);
    Object.assign(panel, {
      sessionContext: {
        session: { kernel: {} },
        kernelChanged: new Signal<object, void>({})
      }
    });
    memory = new FakeMemory({
      fix: () =>
        Promise.resolve({
          status: 'ok',
          edits: [EDIT],
          run: ['one'],
          message: message('fix.ok'),
          caution: null
        })
    });
  });

  const content = (): string => JSON.stringify(panel.model?.toJSON());

  const prepared = async (edits = [EDIT]): Promise<IAppliedEdit[]> =>
    (await prepare(edits, id => ofCell(panel, id, trans))) ?? [];

  /** Lock it, and expect that what is done then leaves it as it is. */
  const expectAsItIs = async (
    lock: Lock,
    write: () => unknown
  ): Promise<void> => {
    lock(panel);
    const before = content();
    await write();
    expect(content()).toBe(before);
  };

  const READ_ONLY = 'The cell is read-only, so nothing was changed.';

  describe.each([...NOTEBOOKS, ...CELLS])('%s', (_, lock) => {
    it('should get no edit', async () => {
      const edits = await prepared();
      await expectAsItIs(lock, () =>
        expect(apply(edits)).rejects.toThrow(READ_ONLY)
      );
    });

    it('should get no part of an edit of two cells', async () => {
      const edits = await prepared([{ ...EDIT, cell_id: 'two' }, EDIT]);
      await expectAsItIs(lock, () =>
        expect(apply(edits)).rejects.toThrow(READ_ONLY)
      );
    });

    it('should have no edit taken back', async () => {
      const edits = await prepared();
      expect(await apply(edits)).toBe(true);
      await expectAsItIs(lock, () =>
        expect(revert(edits)).rejects.toThrow(READ_ONLY)
      );
    });

    it('should get no fix, nor one that was found before', async () => {
      const { files } = new FakeFiles();
      const find = async () => findFix(memory, panel, '1', '1', files, trans);
      const fix = await find();
      await expectAsItIs(lock, async () => {
        expect(await find()).toEqual({ status: 'refused', message: READ_ONLY });
        await expect(makeFix(fix as never, trans)).rejects.toThrow(READ_ONLY);
      });
    });
  });

  describe.each(NOTEBOOKS)('%s', (_, lock) => {
    it('should get no cell', async () => {
      await expectAsItIs(lock, () => {
        expect(insertBelow(panel, 0, 'x')).toBeNull();
      });
    });

    it('should get no clean-up cell, and say so', async () => {
      memory.answers.cleanup = () => {
        memory.send({ ...EVENTS.cleanup, request_id: '1', code: 'del x' });
        return Promise.resolve({ status: 'queued' });
      };
      await expectAsItIs(lock, () =>
        insertCleanupCell(memory, panel, null, trans)
      );
      await settle();
      expect(
        Notification.manager.notifications.map(each => each.message)
      ).toEqual(['No cell was inserted: The notebook is read-only.']);
    });
  });

  it('should be changed by all of them where it is not locked', async () => {
    expect(await apply(await prepared())).toBe(true);
    expect(insertBelow(panel, 0, 'x')).not.toBeNull();
  });
});
