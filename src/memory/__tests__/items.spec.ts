import { gib } from '../../__tests__/report';
import type { IItem } from '../../protocol';
import {
  CACHE,
  makeItem,
  makeVariable,
  OUTPUT,
  TRACEBACK
} from '../../release/__tests__/plans';
import { bySize, gainOf, isCovered, isListed, toConfirm } from '../items';

const SMALL = 9 * 2 ** 20;

describe('the items of a plan', () => {
  it.each([
    ['large', { expected_bytes: gib(1) }, true],
    ['small', { expected_bytes: SMALL }, false],
    ['empty', { expected_bytes: 0 }, false],
    ['not measured and free of charge', { expected_bytes: null }, true],
    ['not measured', { expected_bytes: null, safe: false }, false],
    ['the way back', { expected_bytes: null, kind: 'restore' }, true]
  ] as const)('should be listed or not if %s', (_, change, isWorth) => {
    expect(isListed(makeItem('x', change))).toBe(isWorth);
  });

  it('should add up, unused cache apart', () => {
    expect(gainOf([TRACEBACK, OUTPUT, CACHE], [])).toEqual({
      freed_bytes: gib(0.9) + gib(1),
      returned_bytes: gib(1.1)
    });
  });

  it('should leave out what was not measured', () => {
    const garbage = makeItem('garbage', { expected_bytes: null });
    expect(gainOf([TRACEBACK, garbage], [])).toEqual({
      freed_bytes: gib(0.9),
      returned_bytes: 0
    });
  });

  it('should count once what several of them free', () => {
    const mib = 2 ** 20;
    const give = (id: string, size: number): IItem =>
      makeItem(id, { expected_bytes: size * mib });
    const state = give('optimizer_state:optimizer', 64);
    const gradients = give('gradients:model', 32);
    const optimizer = give('variable:optimizer', 65);
    const offload = give('offload:model', 128);
    const shared = [
      { ids: [state.id, optimizer.id, offload.id], bytes: 64 * mib },
      { ids: [gradients.id, offload.id], bytes: 32 * mib }
    ];
    const freed = (...items: IItem[]): number =>
      gainOf(items, shared).freed_bytes / mib;
    expect(freed(offload)).toBe(128);
    expect(freed(state, gradients)).toBe(96);
    expect(freed(state, offload)).toBe(128);
    expect(freed(state, optimizer)).toBe(65);
    expect(freed(state, optimizer, offload)).toBe(129);
    expect(freed(state, gradients, optimizer, offload)).toBe(129);
    expect(gainOf([CACHE, gradients, offload], shared)).toEqual({
      freed_bytes: 128 * mib,
      returned_bytes: gib(1.1)
    });
  });

  it('should free nothing rather than a negative amount, whatever is shared', () => {
    const variable = makeVariable('model');
    const gradients = makeItem('gradients:model', { expected_bytes: 5 });
    const shared = [{ ids: [variable.id, gradients.id], bytes: gib(99) }];
    expect(gainOf([variable, gradients], shared).freed_bytes).toBe(0);
  });

  it('should be covered by the name that is deleted', () => {
    const gradients = makeItem('gradients', {
      kind: 'gradients',
      name: 'model'
    });
    expect(isCovered(gradients, [makeVariable('model')])).toBe(true);
    expect(isCovered(gradients, [makeVariable('models')])).toBe(false);
    expect(isCovered(gradients, [gradients])).toBe(false);
    expect(isCovered(CACHE, [makeVariable('cache')])).toBe(false);
    expect(isCovered(makeVariable('model'), [makeVariable('model')])).toBe(
      false
    );
  });

  it('should be listed by size', () => {
    const unknown = makeItem('x', { expected_bytes: null });
    expect(bySize([unknown, TRACEBACK, OUTPUT])).toEqual([
      OUTPUT,
      TRACEBACK,
      unknown
    ]);
  });

  it('should require consent for all items with a cost', () => {
    const model = makeVariable('model');
    expect(toConfirm([TRACEBACK, model])).toEqual([model]);
  });
});
