import { nullTranslator } from '@jupyterlab/translation';

import { gib } from '../../__tests__/report';
import {
  type Column,
  groupParts,
  type ISorting,
  siteOf,
  segmentsOf,
  sortBy,
  sortRows
} from '../rows';
import { toRow } from '../words';
import { makeHeld, makePart, ROWS } from './held';

const trans = nullTranslator.load('gpu-headroom');

describe('the rows of the table of holders', () => {
  const names = (sorting: ISorting): string[] =>
    sortRows(
      ROWS.map(held => toRow(held, trans)),
      sorting
    ).map(({ name }) => name);

  it.each<[Column, boolean, string]>([
    ['size', false, 'history'],
    ['size', true, 'no name (Tensor)'],
    ['name', true, 'history'],
    ['name', false, 'Traceback of In [7]'],
    ['kind', true, 'history'],
    ['kind', false, 'Traceback of In [7]']
  ])(
    'should have by %s, ascending %s, %s on top',
    (column, isAscending, top) => {
      expect(names({ column, isAscending })[0]).toBe(top);
    }
  );

  it('should sort names with numbers as numbers', () => {
    const rows = ['Out[10]', 'Out[9]'].map(name =>
      toRow(makeHeld(name), trans)
    );
    const [first] = sortRows(rows, { column: 'name', isAscending: true });
    expect(first?.name).toBe('Out[9]');
  });

  it('should have rows of the same kind by size', () => {
    const sorted = sortRows(
      [
        toRow(makeHeld('small', { bytes: 1 }), trans),
        toRow(makeHeld('large', { bytes: 2 }), trans)
      ],
      { column: 'kind', isAscending: true }
    );
    expect(sorted[0]?.name).toBe('large');
  });

  it('should reverse the order when the same column is selected again', () => {
    const bySize = sortBy({ column: 'name', isAscending: true }, 'size');
    expect(bySize).toEqual({ column: 'size', isAscending: false });
    expect(sortBy(bySize, 'size').isAscending).toBe(true);
    expect(sortBy(bySize, 'name').isAscending).toBe(true);
  });
});

describe('the parts of a holder', () => {
  it('should be grouped if they differ only in name', () => {
    const alike = ['[0]', '[1]'].map(name => makePart({ name }));
    const other = makePart({ name: '[2]', shape: [1], bytes: gib(3) });
    const [first, second] = groupParts([...alike, other]);
    expect(first).toEqual({ part: other, count: 1, bytes: gib(3) });
    expect(second).toEqual({ part: alike[0], count: 2, bytes: gib(0.5) });
  });

  it('should fill the bar in the order of the kinds', () => {
    const model = ROWS.find(({ kind }) => kind === 'mixed');
    expect(model && segmentsOf(model)).toEqual([
      { kind: 'parameters', bytes: gib(0.5) },
      { kind: 'gradients', bytes: gib(0.5) }
    ]);
  });

  it('should show all bytes in the bar if they were too many to list', () => {
    const held = makeHeld('model', {
      kind: 'mixed',
      bytes: gib(1),
      parts: [makePart({ kind: 'parameters', bytes: gib(0.25) })]
    });
    expect(segmentsOf(held)).toEqual([
      { kind: 'parameters', bytes: gib(0.25) },
      { kind: 'tensor', bytes: gib(0.75) }
    ]);
  });

  it('should name a cell only if it allocated all of them', () => {
    const made = { cell_id: 'c', execution_count: 4, line: 1 };
    const one = makePart({ allocation_site: made });
    const other = makePart({
      allocation_site: { ...made, execution_count: 5 }
    });
    expect(siteOf(makeHeld('x', { parts: [one, one] }))).toBe(made);
    expect(siteOf(makeHeld('x', { parts: [one, other] }))).toBeNull();
    expect(siteOf(makeHeld('x', { parts: [one, makePart()] }))).toBeNull();
  });
});
