import { howMany, Maker } from '../../__tests__/fuzz/maker';
import { savedReport, stateFrom } from '../../__tests__/fuzz/reports';
import { PSEUDO, untranslated } from '../../__tests__/pseudo';
import {
  buttonsIn,
  CONFIRMED,
  ELSEWHERE,
  IN_FILE,
  REPORT,
  SAVE,
  SMALLER_BATCH,
  SNIPPET,
  WORDS
} from '../../__tests__/report';
import { reportIn } from '../../__tests__/reportin';
import type { IRemedy, IReport } from '../../protocol';
import { Registry } from '../../registry';
import type { IReportOffer } from '../../renderer/offer';
import { Offers } from '../../renderer/offers';
import type { IReportState, RemedyState } from '../../report/state';
import { words } from '../../text/messages';
import { FakeFiles } from './fakefiles';

describe('a report whose buttons change the notebook', () => {
  let host: HTMLElement;
  let offers: Offers;
  let draw: ReturnType<typeof reportIn>;
  let actions: [string, string | null][];

  beforeEach(async () => {
    host = document.createElement('div');
    document.body.replaceChildren(host);
    actions = [];
    const wings = new Registry<readonly IReportOffer[]>();
    wings.add(() => Promise.resolve(new FakeFiles().offers));
    await wings.load();
    offers = new Offers(wings);
    draw = reportIn(host, (...action) => actions.push(action), WORDS, offers);
  });

  const text = (selector: string): string =>
    host.querySelector(selector)?.textContent ?? '';
  const buttons = (): string[] => buttonsIn(host);
  const button = (label: string): HTMLButtonElement | undefined =>
    [...host.querySelectorAll('button')].find(
      node => node.textContent === label
    );
  const press = (label: string): void => button(label)?.click();
  const show = (report: Partial<IReport>, state = CONFIRMED): void => {
    draw({ ...REPORT, ...report }, state);
  };
  const at = ({ id }: IRemedy, state: RemedyState): IReportState => ({
    ...CONFIRMED,
    remedies: { [id]: state }
  });

  it('should offer an edit once the helper vouches for the report', () => {
    show({}, { ...CONFIRMED, trust: 'saved' });
    expect(buttons()).toEqual([]);
    show({});
    expect(buttons()).toContain('Apply');
  });

  it('should offer to undo or run an edit that was applied', () => {
    show({}, at(SMALLER_BATCH, { status: 'applied', text: 'Applied.' }));
    press('Undo');
    press('Re-run cell');
    expect(actions).toEqual([
      ['undo', SMALLER_BATCH.id],
      ['run', SMALLER_BATCH.id]
    ]);
    expect(buttons()).not.toContain('Apply');
  });

  it('should name the cells that an edit of an earlier cell runs', () => {
    const applied = at(SMALLER_BATCH, { status: 'applied', text: 'Applied.' });
    const runs = { [SMALLER_BATCH.id]: ['In [2]', 'In [7]'] };
    show({}, { ...applied, runs });
    expect(buttons()).toContain('Re-run In [2], In [7]');
  });

  it('should reveal the line of a cell that was edited', () => {
    const text = 'The cell was edited after it failed.';
    show({}, at(SMALLER_BATCH, { status: 'changed', text, line: 12 }));
    press('Go to line 12');
    expect(actions).toEqual([['reveal', SMALLER_BATCH.id]]);
  });

  it('should name the cell when a fix edits an earlier one', () => {
    show({ remedies: [ELSEWHERE] });
    expect(buttons()).toEqual(['Apply to In [2]']);
    press('Apply to In [2]');
    expect(actions).toEqual([['apply', SMALLER_BATCH.id]]);
  });

  it('should name the script that an edit is of', () => {
    show({ remedies: [IN_FILE] });
    expect(buttons()).toContain('Apply to main.py');
  });

  it('should look up an id only among existing ones', () => {
    show({ remedies: [{ ...ELSEWHERE, id: 'constructor' }] });
    expect(buttons()).toEqual(['Apply to In [2]']);
  });

  it('should insert a snippet, and fold its code', () => {
    show({ remedies: [SNIPPET] });
    expect(text(`[data-fold="code ${SNIPPET.id}"] pre`)).toBe(
      SNIPPET.type_this
    );
    press('Insert as cell');
    expect(actions).toEqual([['insert', SNIPPET.id]]);
  });

  it('should save training state, and state no savings', () => {
    show({ remedies: [SAVE] });
    press('Save…');
    expect(actions).toEqual([['save', SAVE.id]]);
    expect(text('ol')).not.toContain('not measured');
    expect(text('ol')).not.toContain('torch.save');
  });

  it('should show the progress of saving, and save once', () => {
    show({ remedies: [SAVE] }, at(SAVE, { status: 'running', text: '' }));
    expect(button('Saving…')?.getAttribute('aria-disabled')).toBe('true');
    show({ remedies: [SAVE] }, at(SAVE, { status: 'failed', text: 'Full.' }));
    expect(text('ol')).toContain('Full.');
    expect(button('Save…')?.getAttribute('aria-disabled')).toBeNull();
    show(
      { remedies: [SAVE] },
      at(SAVE, { status: 'inserted', text: 'Saved.' })
    );
    expect(text('ol')).toContain('Saved.');
    expect(buttons()).toEqual([]);
  });

  it.each<[string, Partial<IReport>, IReportState]>([
    ['an edit', {}, CONFIRMED],
    ['an edit elsewhere', { remedies: [ELSEWHERE] }, CONFIRMED],
    ['a snippet', { remedies: [SNIPPET] }, CONFIRMED],
    ['a training', { remedies: [SAVE] }, CONFIRMED],
    ['a made edit', {}, at(SMALLER_BATCH, { status: 'applied', text: '' })],
    [
      'a late edit',
      {},
      at(SMALLER_BATCH, { status: 'changed', text: '', line: 12 })
    ]
  ])('should be in the user’s language for %s', (_, report, state) => {
    const shown = document.createElement('div');
    reportIn(
      shown,
      () => undefined,
      words(PSEUDO),
      offers
    )({ ...REPORT, ...report }, state);
    const labels = document.createElement('div');
    for (const node of shown.querySelectorAll('button')) {
      labels.append(node.cloneNode(true));
    }
    expect(labels.textContent).toContain('⟦');
    expect(untranslated(labels, ['batch_size = 512'])).toEqual([]);
  });

  it('should have no button that acts on data of the notebook', () => {
    const make = new Maker();
    const problems: unknown[] = [];
    let pressed = 0;
    for (let count = howMany(300); count > 0; count--) {
      const report = savedReport(make);
      if (report) {
        draw(report, stateFrom(make, 'confirmed'));
        const ids = report.remedies.map(({ id }) => id);
        host.querySelectorAll('button').forEach(node => {
          node.click();
        });
        const acted = actions.splice(0).flatMap(([, id]) => id ?? []);
        pressed += acted.length;
        problems.push(...acted.filter(id => !ids.includes(id)));
      }
    }
    expect([...new Set(problems)]).toEqual([]);
    expect(pressed).toBeGreaterThan(0);
  });
});
