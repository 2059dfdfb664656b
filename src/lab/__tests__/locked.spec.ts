import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';

import { CELLS, expectAsItIs, NOTEBOOKS } from '../../__tests__/locks';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import type { IEdit } from '../../protocol';
import { apply, type IAppliedEdit, ofCell, prepare, revert } from '../edit';
import { insertBelow } from '../insertion';

const trans = nullTranslator.load('gpu-headroom');

const SOURCE = 'batch_size = 64';

const EDIT: IEdit = {
  cell_id: 'one',
  first_line: 1,
  old_lines: [SOURCE],
  new_lines: ['batch_size = 32']
};

describe('a locked notebook', () => {
  let panel: NotebookPanel;

  beforeEach(() => {
    silenceYjs();
    panel = makePanel([
      { id: 'one', source: SOURCE },
      { id: 'two', source: SOURCE }
    ]);
  });

  const prepared = async (edits = [EDIT]): Promise<IAppliedEdit[]> =>
    (await prepare(edits, id => ofCell(panel, id, trans))) ?? [];

  const READ_ONLY = 'The cell is read-only, so nothing was changed.';

  describe.each([...NOTEBOOKS, ...CELLS])('%s', (_, lock) => {
    it('should get no edit', async () => {
      const edits = await prepared();
      await expectAsItIs(panel, lock, () =>
        expect(apply(edits)).rejects.toThrow(READ_ONLY)
      );
    });

    it('should get no part of an edit of two cells', async () => {
      const edits = await prepared([{ ...EDIT, cell_id: 'two' }, EDIT]);
      await expectAsItIs(panel, lock, () =>
        expect(apply(edits)).rejects.toThrow(READ_ONLY)
      );
    });

    it('should have no edit undone', async () => {
      const edits = await prepared();
      expect(await apply(edits)).toBe(true);
      await expectAsItIs(panel, lock, () =>
        expect(revert(edits)).rejects.toThrow(READ_ONLY)
      );
    });
  });

  it.each(NOTEBOOKS)('should get no new cell: one %s', async (_, lock) => {
    await expectAsItIs(panel, lock, () => {
      expect(insertBelow(panel, 0, 'x')).toBeNull();
    });
  });

  it('should be changed by all of them if it is not locked', async () => {
    expect(await apply(await prepared())).toBe(true);
    expect(insertBelow(panel, 0, 'x')).not.toBeNull();
  });
});
