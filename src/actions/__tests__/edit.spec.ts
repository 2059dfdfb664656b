import type { NotebookModel } from '@jupyterlab/notebook';

import { makeModel, silenceYjs } from '../../__tests__/notebook';
import type { IEdit } from '../../protocol';
import { apply, edited, prepare, revert } from '../edit';

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

  it('should be one undo step, whatever the number of lines', () => {
    const first = { ...EDIT, first_line: 1, old_lines: ['a = 1'] };
    prepare(model.cells, [EDIT, first])?.forEach(apply);
    expect(sources()[0]).toBe('batch_size = 32\nbatch_size = 32\nb = 2');

    const shared = model.cells.get(0).sharedModel;
    shared.undo();
    expect(sources()[0]).toBe(SOURCE);
    expect(shared.canUndo()).toBe(false);
  });

  it('should change the lines only', () => {
    const changes: unknown[] = [];
    model.cells.get(0).sharedModel.changed.connect((_, change) => {
      changes.push(change.sourceChange);
    });
    prepare(model.cells, [EDIT])?.forEach(apply);
    expect(changes).toEqual([
      [
        { retain: 'a = 1\nbatch_size = '.length },
        { insert: '32' },
        { delete: 2 }
      ]
    ]);
  });

  it('should change all cells or none', () => {
    const wrong = { ...EDIT, cell_id: 'two', old_lines: ['batch_size = 128'] };
    expect(prepare(model.cells, [EDIT, wrong])).toBeNull();
    const gone = { ...EDIT, cell_id: 'three' };
    expect(prepare(model.cells, [EDIT, gone])).toBeNull();
    expect(sources()).toEqual([SOURCE, SOURCE]);
  });

  it('should be taken back', () => {
    const edits = prepare(model.cells, [EDIT, { ...EDIT, cell_id: 'two' }]);
    edits?.forEach(apply);
    expect(sources()).not.toContain(SOURCE);
    expect(edits?.every(revert)).toBe(true);
    expect(sources()).toEqual([SOURCE, SOURCE]);
  });

  it('should not be taken back over what a person wrote since', () => {
    const edits = prepare(model.cells, [EDIT]);
    edits?.forEach(apply);
    model.cells.get(0).sharedModel.setSource('mine');
    expect(edits?.every(revert)).toBe(false);
    expect(sources()[0]).toBe('mine');
  });
});
