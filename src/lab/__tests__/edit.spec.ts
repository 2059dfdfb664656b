import type { INotebookModel, NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';

import { makePanel, silenceYjs } from '../../__tests__/notebook';
import type { IEdit } from '../../protocol';
import {
  apply,
  edited,
  type IAppliedEdit,
  type ICode,
  ofCell,
  prepare,
  revert
} from '../edit';

const SOURCE = 'a = 1\nbatch_size = 64\nb = 2';

const EDIT: IEdit = {
  cell_id: 'one',
  first_line: 2,
  old_lines: ['batch_size = 64'],
  new_lines: ['batch_size = 32']
};

describe('edited', () => {
  it.each<[string, Partial<IEdit>[], string | null]>([
    ['a line', [{}], 'a = 1\nbatch_size = 32\nb = 2'],
    [
      'several edits, whatever their order',
      [
        { first_line: 1, old_lines: ['a = 1'], new_lines: ['', 'a = 0'] },
        {},
        { first_line: 3, old_lines: ['b = 2'], new_lines: [] }
      ],
      '\na = 0\nbatch_size = 32'
    ],
    ['nothing when the line differs', [{ first_line: 1 }], null],
    ['nothing when the line is too far down', [{ first_line: 9 }], null],
    ['nothing when the line is none', [{ first_line: 0 }], null]
  ])('should change %s', (_, edits, expected) => {
    const all = edits.map(edit => ({ ...EDIT, ...edit }));
    expect(edited(SOURCE, all)).toBe(expected);
  });
});

describe('an edit of cells', () => {
  let panel: NotebookPanel;
  let model: INotebookModel;

  beforeEach(() => {
    silenceYjs();
    panel = makePanel([
      { id: 'one', source: SOURCE },
      { id: 'two', source: SOURCE }
    ]);
    if (panel.model === null) {
      throw new Error('The panel has no notebook.');
    }
    model = panel.model;
  });

  afterEach(() => {
    model.dispose();
  });

  const trans = nullTranslator.load('gpu-headroom');

  const sources = (): string[] =>
    [...model.cells].map(cell => cell.sharedModel.getSource());
  const prepared = (edits: IEdit[]): Promise<IAppliedEdit[] | null> =>
    prepare(edits, id => ofCell(panel, id, trans));
  const made = async (edits: IEdit[]): Promise<IAppliedEdit[]> => {
    const found = (await prepared(edits)) ?? [];
    expect(await apply(found)).toBe(true);
    return found;
  };

  it('should be one undo step, whatever the number of lines', async () => {
    const first = { ...EDIT, first_line: 1, old_lines: ['a = 1'] };
    await made([EDIT, first]);
    expect(sources()[0]).toBe('batch_size = 32\nbatch_size = 32\nb = 2');

    const shared = model.cells.get(0).sharedModel;
    shared.undo();
    expect(sources()[0]).toBe(SOURCE);
    expect(shared.canUndo()).toBe(false);
  });

  it('should change the lines only', async () => {
    const changes: unknown[] = [];
    model.cells.get(0).sharedModel.changed.connect((_, change) => {
      changes.push(change.sourceChange);
    });
    await made([EDIT]);
    expect(changes).toEqual([
      [
        { retain: 'a = 1\nbatch_size = '.length },
        { insert: '32' },
        { delete: 2 }
      ]
    ]);
  });

  it('should change all cells or none', async () => {
    const wrong = { ...EDIT, cell_id: 'two', old_lines: ['batch_size = 128'] };
    expect(await prepared([EDIT, wrong])).toBeNull();
    const gone = { ...EDIT, cell_id: 'three' };
    expect(await prepared([EDIT, gone])).toBeNull();
    expect(sources()).toEqual([SOURCE, SOURCE]);
  });

  it('should be undone', async () => {
    const edits = await made([EDIT, { ...EDIT, cell_id: 'two' }]);
    expect(sources()).not.toContain(SOURCE);
    expect(await revert(edits)).toBe(true);
    expect(sources()).toEqual([SOURCE, SOURCE]);
  });

  it('should not overwrite later changes on undo', async () => {
    const edits = await made([EDIT]);
    model.cells.get(0).sharedModel.setSource('mine');
    expect(await revert(edits)).toBe(false);
    expect(sources()[0]).toBe('mine');
  });

  it('should be undone in all cells or in none', async () => {
    const edits = await made([{ ...EDIT, cell_id: 'two' }, EDIT]);
    const [, second] = sources();
    model.cells.get(0).sharedModel.setSource('mine');
    expect(await revert(edits)).toBe(false);
    expect(sources()).toEqual(['mine', second]);
  });

  it('should be made in all cells or in none', async () => {
    const edits = await prepared([EDIT, { ...EDIT, cell_id: 'two' }]);
    model.cells.get(1).sharedModel.setSource('mine');
    expect(await apply(edits ?? [])).toBe(false);
    expect(sources()).toEqual([SOURCE, 'mine']);
  });

  it('should be undone in a cell that was moved, and not in a deleted one', async () => {
    const edits = await made([EDIT]);
    model.sharedModel.moveCell(0, 1);
    expect(await revert(edits)).toBe(true);
    expect(sources()).toEqual([SOURCE, SOURCE]);
    expect(await apply(edits)).toBe(true);
    model.sharedModel.deleteCell(1);
    expect(await revert(edits)).toBe(false);
  });

  it('should be reverted if a cell changes while a file is written', async () => {
    const [edit] = (await prepared([EDIT])) ?? [];
    const code: ICode = {
      id: 'train.py',
      isFile: true,
      isReadOnly: false,
      read: () => Promise.resolve(text),
      replace: (_, to) => {
        text = to;
        model.cells.get(0).sharedModel.setSource('mine');
        return Promise.resolve(true);
      }
    };
    let text = 'before';
    const script = { code, before: 'before', after: 'after' };
    expect(await apply(edit ? [edit, script] : [])).toBe(false);
    expect(sources()[0]).toBe('mine');
    expect(text).toBe('before');
  });
});
