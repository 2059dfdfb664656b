import type { NotebookModel } from '@jupyterlab/notebook';

import { makeModel, silenceYjs } from '../../__tests__/notebook';
import type { IEdit } from '../../protocol';
import {
  apply,
  edited,
  type IAppliedEdit,
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
  let model: NotebookModel;

  beforeEach(() => {
    silenceYjs();
    model = makeModel([
      { id: 'one', source: SOURCE },
      { id: 'two', source: SOURCE }
    ]);
  });

  afterEach(() => {
    model.dispose();
  });

  const sources = (): string[] =>
    [...model.cells].map(cell => cell.sharedModel.getSource());
  const prepared = (edits: IEdit[]): Promise<IAppliedEdit[] | null> =>
    prepare(edits, id => {
      const cell = [...model.cells].find(each => each.id === id);
      return cell && ofCell(cell);
    });
  const made = async (edits: IEdit[]): Promise<IAppliedEdit[]> => {
    const found = (await prepared(edits)) ?? [];
    await Promise.all(found.map(apply));
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

  it('should be taken back', async () => {
    const edits = await made([EDIT, { ...EDIT, cell_id: 'two' }]);
    expect(sources()).not.toContain(SOURCE);
    expect(await Promise.all(edits.map(revert))).toEqual([true, true]);
    expect(sources()).toEqual([SOURCE, SOURCE]);
  });

  it('should not be taken back over what a person wrote since', async () => {
    const edits = await made([EDIT]);
    model.cells.get(0).sharedModel.setSource('mine');
    expect(await Promise.all(edits.map(revert))).toEqual([false]);
    expect(sources()[0]).toBe('mine');
  });
});
