import {
  CONFIRMED,
  ELSEWHERE,
  IN_FILE,
  REPORT,
  SMALLER_BATCH,
  WORDS
} from '../../__tests__/report';
import type { IRemedy } from '../../protocol';
import { Registry } from '../../registry';
import type { IReportOffer } from '../../renderer/offer';
import { Offers } from '../../renderer/offers';
import type { IReportState, IContext, IOffer } from '../../report/state';
import { FakeFiles } from './fakefiles';

const FIX = SMALLER_BATCH.id;

describe('the buttons of edits that are run', () => {
  let offers: Offers;

  beforeEach(async () => {
    const wings = new Registry<readonly IReportOffer[]>();
    wings.add(() => Promise.resolve(new FakeFiles().offers));
    await wings.load();
    offers = new Offers(wings);
  });

  const contextOf = (
    remedies: readonly IRemedy[],
    state: Partial<IReportState> = {}
  ): IContext => ({
    ...WORDS,
    report: { ...REPORT, remedies: [...remedies], fits_after_free: null },
    state: { ...CONFIRMED, ...state },
    offers,
    onAction: () => undefined,
    opened: new Set()
  });

  const labels = (buttons: readonly IOffer[] = []): string[] =>
    buttons.map(({ label }) => label);

  const beside = (
    remedy: IRemedy,
    state: Partial<IReportState> = {}
  ): string[] =>
    labels(offers.offersOf(contextOf([remedy], state), remedy).buttons);

  it('should be beside the edit', () => {
    expect(beside(SMALLER_BATCH)).toEqual([
      'Apply',
      'Apply and re-run',
      'Make it fit'
    ]);
    expect(beside(SMALLER_BATCH, { editable: false })).toEqual([]);
  });

  it('should not be there once it is made', () => {
    const remedies = { [FIX]: { status: 'applied', text: '' } as const };
    expect(beside(SMALLER_BATCH, { remedies })).toEqual([]);
  });

  it('should name all cells, once the reply has arrived', () => {
    expect(beside(ELSEWHERE)).toEqual(['Apply to In [2]']);
    const run = ['In [2]', 'In [5]', 'In [7]'];
    expect(beside(ELSEWHERE, { runs: { [FIX]: run } })).toContain(
      'Apply to In [2] and re-run In [2], In [5], In [7]'
    );
    expect(beside(IN_FILE, { runs: { [IN_FILE.id]: ['In [7]'] } })).toContain(
      'Apply to main.py and re-run In [7]'
    );
  });

  it('should offer to make it fit once, with the edit that sets a number', () => {
    const other = { ...SMALLER_BATCH, id: 'other' };
    const diffs = SMALLER_BATCH.diffs.map(diff => ({ ...diff, sets: null }));
    const first = { ...SMALLER_BATCH, diffs };
    const all = [first, other, SMALLER_BATCH];
    const fitting = all.filter(remedy =>
      labels(offers.offersOf(contextOf(all), remedy).buttons).includes(
        'Make it fit'
      )
    );
    expect(fitting).toEqual([other]);
  });

  it('should come first after freeing where that is not enough', () => {
    const context = contextOf([SMALLER_BATCH]);
    const step = offers.nextStep(context, SMALLER_BATCH);
    expect(labels(step?.buttons)).toEqual([
      'Set batch_size = 512 and re-run',
      'Make it fit',
      'Re-run cell'
    ]);
    expect(step?.buttons.map(({ primary = false }) => primary)).toEqual([
      true,
      false,
      false
    ]);
    const fits = { ...context.report, fits_after_free: true };
    const again = offers.nextStep({ ...context, report: fits }, SMALLER_BATCH);
    expect(labels(again?.buttons)[0]).toBe('Re-run cell');
    expect(again?.buttons[0]?.primary).toBe(true);
  });
});
