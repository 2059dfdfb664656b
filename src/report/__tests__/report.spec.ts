import { settle } from '../../__tests__/memory';
import {
  buttonsIn,
  CAUSE,
  CONFIRMED,
  FREE,
  gib,
  message,
  RELEASED,
  REPORT,
  RESTART,
  SAVE,
  ELSEWHERE,
  IN_FILE,
  SMALLER_BATCH,
  SNIPPET,
  SUGGESTION
} from '../../__tests__/report';
import { reportIn } from '../../__tests__/reportin';
import type { IDiff, IReport } from '../../protocol';
import { plain } from '../../text/plain';
import type { IReportState, RemedyState } from '../state';
import { suggestedCode } from '../suggestion';

const isDiff = (diff: IDiff | undefined): diff is IDiff => diff !== undefined;

const SAVED: IReportState = { ...CONFIRMED, trust: 'saved' };

/** An edit of thirty lines. */
const LONG_EDIT = {
  ...SMALLER_BATCH,
  diffs: SMALLER_BATCH.diffs.map(diff => ({
    ...diff,
    rows: Array.from({ length: 30 }, (_, line) => ({
      sign: ' ' as const,
      line,
      text: 'x'
    }))
  }))
};

describe('Report', () => {
  let host: HTMLElement;
  let draw: ReturnType<typeof reportIn>;
  let actions: [string, string | null][];

  beforeEach(() => {
    host = document.createElement('div');
    document.body.replaceChildren(host);
    actions = [];
    draw = reportIn(host, (...action) => actions.push(action));
  });

  const text = (selector: string): string =>
    host.querySelector(selector)?.textContent ?? '';
  const buttons = (): string[] => buttonsIn(host);
  const button = (label: string): HTMLButtonElement => {
    const found = [...host.querySelectorAll('button')].find(
      node => node.textContent === label
    );
    if (!found) {
      throw new Error(`No button ${label} among ${buttons().join(', ')}`);
    }
    return found;
  };
  const show = (report: Partial<IReport>, state = CONFIRMED): void => {
    draw({ ...REPORT, ...report }, state);
  };

  describe('failure', () => {
    it('should show the needed and the available memory', () => {
      show({});
      expect(text('h3')).toBe(
        'Out of GPU memory — needed 2.00 GiB more, 0.71 GiB was available'
      );
      expect(text('.jp-GpuHeadroomReport-device')).toBe(
        'GPU 0, Tesla T4, 14.7 GiB'
      );
    });

    it('should show that the size of the request is unknown', () => {
      show({ requested_bytes: null });
      expect(text('h3')).toBe(
        'Out of GPU memory — the size of the request is not known'
      );
    });

    it('should label a simulated GPU', () => {
      show({ simulated: true });
      expect(text('h3')).toContain('Out of simulated GPU memory');
      expect(text('.jp-GpuHeadroomReport-device')).toBe(
        'Simulated GPU 0, 14.7 GiB'
      );
    });

    it('should label the section by its title, and by the run that failed', () => {
      const named = (): string => {
        const labelled = host.querySelector('section');
        const ids = labelled?.getAttribute('aria-labelledby')?.split(' ') ?? [];
        expect(ids[0]).toBe(host.querySelector('h3')?.id);
        return ids
          .map(id => host.querySelector(`[id="${id}"]`)?.textContent)
          .join(' ');
      };
      show({ execution_count: 7 });
      expect(named()).toMatch(/^Out of GPU memory — .* In \[7\]$/);
      show({ execution_count: null });
      expect(named()).toMatch(/available$/);
    });

    it('should draw segments proportional to their bytes, and show all numbers', () => {
      show({});
      const bar = host.querySelector('[role="img"]');
      expect(bar?.getAttribute('aria-label')).toBe(
        'At the moment of failure: outside 0.7 GiB, parameters 0.6 GiB, ' +
          'optimizer state 1.2 GiB, gradients 0.6 GiB, activations 9.8 GiB, ' +
          'cached 1.1 GiB, free 0.7 GiB'
      );
      const shares = [...(bar?.children ?? [])].map(segment =>
        Number((segment as HTMLElement).style.flexGrow)
      );
      expect(shares.reduce((sum, share) => sum + share)).toBeCloseTo(1);
      expect(shares[4]).toBeCloseTo(9.8 / 14.74);
    });

    it('should show the unit once if it fits all parts', () => {
      show({});
      expect(text('.jp-GpuHeadroomReport-legend')).toBe(
        'outside0.7parameters0.6optimizer state1.2gradients0.6' +
          'activations9.8cached1.1free0.7GiB'
      );
    });

    it('should show the unit of every part if one is small', () => {
      show({
        parts: [
          { kind: 'outside', bytes: 95 * 2 ** 20 },
          { kind: 'activations', bytes: gib(3.1) },
          { kind: 'free', bytes: 0 }
        ]
      });
      expect(text('.jp-GpuHeadroomReport-legend')).toBe(
        'outside95 MiBactivations3.1 GiB'
      );
    });

    it('should show what the traceback retains', () => {
      show({});
      expect(text('.jp-GpuHeadroomReport-traceback')).toBe(
        'The traceback of this error still keeps 12.0 GiB in use: ' +
          'model 2.4 GiB, x 0.2 GiB.'
      );
    });

    it('should show the cause with its evidence', () => {
      show({});
      expect(text('.jp-GpuHeadroomReport-cause')).toBe(
        'Activations: 9.8 GiB of the 12.2 GiB in tensors. The forward pass keeps ' +
          'them for the backward pass, of 1024 samples at once (batch_size, line 2).'
      );
      expect(text('.jp-GpuHeadroomReport-cause strong')).toContain('9.8 GiB');
    });

    it('should state no cause if none is clear', () => {
      show({ cause: null });
      expect(host.textContent).toContain('No single cause stands out.');
      expect(host.textContent).not.toContain('Most likely cause');
    });

    it('should fold the causes besides the first', () => {
      show({});
      expect(host.textContent).not.toContain('Also');
      const further = { ...CAUSE, bytes: gib(1.5) };
      show({ further_causes: [further, { ...further, bytes: null }] });
      expect(text('.jp-GpuHeadroomReport-cause')).toContain('Activations');
      const fold = host.querySelector('.jp-GpuHeadroomReport-also');
      expect(fold?.closest('details')?.open).toBe(false);
      expect(text('[data-fold=also] summary')).toBe('Also (2)');
      const [one, other] = [...(fold?.children ?? [])];
      expect(one?.querySelector(':scope > strong')?.textContent).toBe(
        '1.5 GiB'
      );
      expect(other?.textContent).toMatch(/line 2\)\.$/);
    });

    it('should show that the measurement continues, and be completed in place', () => {
      show({ cause: null, looking: true });
      expect(host.textContent).toContain('Looking further…');
      expect(host.textContent).not.toContain('No single cause');
      const fold = host.querySelector<HTMLDetailsElement>(
        '[data-fold=details]'
      );
      if (fold) {
        fold.open = true;
      }
      const place = host.querySelector<HTMLElement>(
        '[data-fold=details] button'
      );
      place?.focus();
      show({});
      expect(host.textContent).not.toContain('Looking further…');
      expect(
        host.querySelector<HTMLDetailsElement>('[data-fold=details]')?.open
      ).toBe(true);
      expect(document.activeElement?.textContent).toBe('Copy report');
    });

    it('should not show a saved report as still being completed', () => {
      show({ cause: null, looking: true }, SAVED);
      expect(host.textContent).not.toContain('Looking further…');
      expect(host.textContent).toContain('No single cause stands out.');
    });

    it('should list remedies in order with how each number was obtained', () => {
      show({});
      const items = [...host.querySelectorAll('ol > li')];
      expect(items).toHaveLength(2);
      const effects = items.map(
        item => item.querySelector('.jp-GpuHeadroomReport-effect')?.textContent
      );
      expect(effects).toEqual([
        '12.0 GiB measured',
        'about −4.9 GiB estimated'
      ]);
    });

    it('should fold the remedies after the fourth', () => {
      const remedies = [1, 2, 3, 4, 5, 6].map(n => ({ ...FREE, id: `r${n}` }));
      show({ remedies });
      const lists = host.querySelectorAll('ol');
      expect(lists[0]?.children).toHaveLength(4);
      expect(lists[1]?.children).toHaveLength(2);
      expect(lists[1]?.start).toBe(5);
      expect(lists[1]?.closest('details')?.open).toBe(false);
      expect(host.querySelectorAll('.jp-mod-primary')).toHaveLength(1);
    });

    it('should describe the signs of a diff to screen readers', () => {
      show({});
      const rows = [...host.querySelectorAll('.jp-GpuHeadroomReport-diffRow')];
      expect(rows.map(row => row.textContent)).toEqual([
        'removed 12-    batch_size = 1024',
        'added 12+    batch_size = 512'
      ]);
    });

    it('should name the cells of an edit where they are several', () => {
      show({});
      expect(text('.jp-GpuHeadroomReport-diffCell')).toBe('');
      const [diff] = SMALLER_BATCH.diffs;
      const [other] = ELSEWHERE.diffs;
      show({
        remedies: [{ ...SMALLER_BATCH, diffs: [other, diff].filter(isDiff) }]
      });
      const names = host.querySelectorAll('.jp-GpuHeadroomReport-diffCell');
      expect([...names].map(each => each.textContent)).toEqual([
        'In [2]',
        'In [7]'
      ]);
    });

    it('should name the script that an edit is of', () => {
      show(
        { remedies: [IN_FILE] },
        {
          ...CONFIRMED,
          runs: { [IN_FILE.id]: ['In [7]'] }
        }
      );
      expect(text('.jp-GpuHeadroomReport-diffCell')).toBe('main.py');
    });

    it('should fold the rest of a long edit', () => {
      show({ remedies: [LONG_EDIT] });
      const fold = host.querySelector('.jp-GpuHeadroomReport-diff details');
      expect(fold?.querySelector('summary')?.textContent).toBe('18 more lines');
      expect(
        fold?.querySelectorAll('.jp-GpuHeadroomReport-diffRow')
      ).toHaveLength(18);
    });

    it('should keep sections open in a remedy that moves', async () => {
      const remedies = [FREE, LONG_EDIT];
      const fold = (): HTMLDetailsElement | null =>
        host.querySelector('.jp-GpuHeadroomReport-diff details');
      show({ remedies });
      const before = fold();
      before?.setAttribute('open', '');
      await settle();
      show({ remedies }, { ...CONFIRMED, released: RELEASED });
      expect(fold()).not.toBe(before);
      expect(fold()?.open).toBe(true);
      fold()?.removeAttribute('open');
      await settle();
      show({ remedies });
      expect(fold()?.open).toBe(false);
    });

    it('should show the source of each detail, and what was not measured', () => {
      show({});
      const rows = [...host.querySelectorAll('tbody tr')];
      expect(rows.map(row => row.textContent)).toEqual([
        'Requested2.00 GiBerror message',
        'In use by tensors12.20 GiBmemory_allocated()',
        'Allowed by the memory fractionnot measuredhidden'
      ]);
    });
  });

  describe('trust', () => {
    it('should offer buttons once the helper confirms the report', () => {
      show({});
      expect(buttons()).toEqual(['Free now']);
    });

    it('should be text without the helper, and explain how to get buttons', () => {
      show({}, SAVED);
      expect(buttons()).toEqual([]);
      expect(host.textContent).toContain(
        'Run this in a new cell: gpu_headroom.free_traceback()'
      );
      expect(host.textContent).toContain(
        'Run the cell again to get the buttons.'
      );
    });

    it('should neither offer nor explain buttons before the reply', () => {
      show({}, { ...CONFIRMED, trust: 'asking' });
      expect(buttons()).toEqual([]);
      expect(host.textContent).not.toContain('Run the cell again');
    });

    it('should not offer to edit where cells cannot be edited', () => {
      show({}, { ...CONFIRMED, editable: false });
      expect(buttons()).toEqual(['Free now']);
    });

    it('should show markup of a report as text', () => {
      show({
        device_name: '<img src=x onerror=alert(1)>',
        cause: {
          rule: 'x',
          claim: {
            id: 'x',
            template: '<script>alert(1)</script>',
            params: {},
            text: '<script>alert(1)</script>'
          },
          evidence: {
            id: 'x',
            template: '**`<b>`**',
            params: {},
            text: '**`<b>`**'
          },
          bytes: null
        }
      });
      expect(host.querySelector('script, img, b')).toBeNull();
      expect(text('.jp-GpuHeadroomReport-cause')).toBe(
        '<script>alert(1)</script> <b>'
      );
    });

    it('should keep asterisks of code in a strong phrase', () => {
      const claim = message('**`x[2 ** 26]` keeps 1 GiB** of 2');
      show({
        cause: { rule: 'x', claim, evidence: message('x'), bytes: null }
      });
      expect(text('.jp-GpuHeadroomReport-cause strong code')).toBe(
        'x[2 ** 26]'
      );
      expect(plain('**`x[2 ** 26]` keeps 1 GiB** of 2')).toBe(
        'x[2 ** 26] keeps 1 GiB of 2'
      );
    });

    it('should render a bounded part of an oversized report', () => {
      const parts = Array.from({ length: 10000 }, () => ({
        kind: 'free' as const,
        bytes: 1
      }));
      const remedies = Array.from({ length: 10000 }, () => FREE);
      const name = 'x'.repeat(100000);
      show({ parts, remedies, device_name: name, error_name: name });
      expect(host.querySelectorAll('*').length).toBeLessThan(1000);
    });

    it('should render a report with an invalid date', () => {
      show({ time_s: 1e300 }, SAVED);
      expect(host.textContent).toContain('Saved output from an unknown time.');
    });
  });

  describe('states of a remedy', () => {
    const withState = (id: string, state: RemedyState): void => {
      show({}, { ...CONFIRMED, remedies: { [id]: state } });
    };

    it('should show that it is freeing, and do nothing when pressed again', () => {
      withState(FREE.id, { status: 'running', text: '' });
      const busy = button('Freeing…');
      expect(busy.getAttribute('aria-disabled')).toBe('true');
      busy.click();
      expect(actions).toEqual([]);
    });

    it('should offer to cancel a release that waits', () => {
      withState(FREE.id, {
        status: 'waiting',
        text: 'Starts when In [9] finishes.'
      });
      expect(button('Queued').getAttribute('aria-disabled')).toBe('true');
      expect(host.textContent).toContain('Starts when In [9] finishes.');
      button('Cancel').click();
      expect(actions).toEqual([['cancel', FREE.id]]);
    });

    it('should show why it failed, and offer it again', () => {
      withState(FREE.id, {
        status: 'failed',
        text: 'Could not free GPU memory: x.'
      });
      expect(host.textContent).toContain('Could not free GPU memory: x.');
      button('Free now').click();
      expect(actions).toEqual([['release', FREE.id]]);
    });
  });

  describe('a snippet', () => {
    const code = SNIPPET.type_this ?? '';

    it('should be shown where there are no buttons', () => {
      for (const state of [SAVED, { ...CONFIRMED, editable: false }]) {
        show({ remedies: [SNIPPET] }, state);
        expect(buttons()).toEqual([]);
        expect(text('ol')).toContain('Run this in a new cell:');
        expect(host.querySelector('ol details')).toBeNull();
        expect(text('ol pre')).toBe(code);
      }
    });

    it('should be inserted once', () => {
      const inserted = { status: 'inserted', text: 'Inserted.' } as const;
      show(
        { remedies: [SNIPPET] },
        { ...CONFIRMED, remedies: { [SNIPPET.id]: inserted } }
      );
      expect(host.textContent).toContain('Inserted.');
      expect(buttons()).toEqual([]);
    });
  });

  describe('a suggestion', () => {
    const example = SUGGESTION.example ?? '';
    const diffs = SMALLER_BATCH.diffs;
    const copyButton = (): HTMLButtonElement => button('Copy');

    it('should show its example and its savings, and be copied', () => {
      show({ remedies: [SUGGESTION] });
      expect(text('ol pre')).toBe(example);
      expect(text('ol details')).toBe('');
      expect(text('.jp-GpuHeadroomReport-effect')).toBe(
        'about −4.9 GiB estimated'
      );
      expect(buttons()).toEqual(['Copy']);
      copyButton().click();
      expect(actions).toEqual([['copy-code', SUGGESTION.id]]);
    });

    it('should not mention unknown savings', () => {
      show({ remedies: [{ ...SUGGESTION, effect_bytes: null }] });
      expect(text('ol .jp-GpuHeadroomReport-effect')).toBe('');
    });

    it('should show what its button copies', () => {
      show({ remedies: [SUGGESTION, { ...SUGGESTION, id: 'other' }] });
      expect(copyButton().getAttribute('aria-label')).toBe(
        'Copy: English of remedy.accumulate'
      );
    });

    it('should be neither applied nor tried', () => {
      show({ remedies: [{ ...SUGGESTION, example: null, diffs }] });
      expect(text('.jp-GpuHeadroomReport-diff')).toContain('batch_size = 512');
      expect(buttons()).toEqual(['Copy']);
    });

    it.each([
      ['its example', { diffs, type_this: 'y = 1' }, example],
      ['what its diffs add', { example: null, diffs }, '    batch_size = 512'],
      ['what to type', { example: null, type_this: 'y = 1' }, 'y = 1'],
      ['nothing', { example: null }, null]
    ])('should copy %s', (_, changes, code) => {
      const suggestion = { ...SUGGESTION, ...changes };
      expect(suggestedCode(suggestion)).toBe(code);
      show({ remedies: [suggestion] });
      expect(buttons().includes('Copy')).toBe(code !== null);
    });

    it('should show what to type beside its button', () => {
      const typed = { ...SUGGESTION, example: null, type_this: '!nvidia-smi' };
      show({ remedies: [typed] });
      expect(text('ol')).toContain('Run this in a new cell: !nvidia-smi');
    });

    it('should be copied in any report, any number of times', () => {
      const copied: RemedyState = { status: 'copied', text: 'Copied.' };
      const remedies = { [SUGGESTION.id]: copied };
      show(
        { remedies: [SUGGESTION] },
        { ...CONFIRMED, editable: false, remedies }
      );
      expect(text('ol')).toContain('Copied.');
      expect(buttons()).toEqual(['Copy']);
    });

    it('should be text, with its example, in a saved report', () => {
      show({ remedies: [SUGGESTION] }, SAVED);
      expect(text('ol pre')).toBe(example);
      expect(buttons()).toEqual([]);
    });

    it('should announce that it was copied, and keep the focus', () => {
      show({ remedies: [SUGGESTION] });
      const status = host.querySelector('ol [role=status]');
      expect(status?.textContent).toBe('');
      copyButton().focus();
      const copied: RemedyState = { status: 'copied', text: 'Copied.' };
      const remedies = { [SUGGESTION.id]: copied };
      show({ remedies: [SUGGESTION] }, { ...CONFIRMED, remedies });
      expect(host.querySelector('ol [role=status]')).toBe(status);
      expect(status?.textContent).toBe('Copied.');
      expect(document.activeElement).toBe(copyButton());
    });
  });

  describe('training state that can be saved', () => {
    it('should be shown as code where no cell can be inserted', () => {
      show({ remedies: [SAVE] }, { ...CONFIRMED, editable: false });
      expect(buttons()).toEqual([]);
      expect(text('ol')).toContain('torch.save');
    });

    it('should not be offered by a saved report', () => {
      show({ remedies: [FREE, SAVE] }, SAVED);
      expect(host.textContent).not.toContain('Save model');
    });
  });

  it('should name the worker that failed, and the line of its cell', () => {
    show({
      worker: { engine: 'rank', rank: 1, pid: 1190, host: null },
      origin: {
        cell_id: 'cell-4',
        execution_count: 4,
        line: 6,
        function: 'train'
      },
      also_failed: 2
    });
    expect(text('h3')).toMatch(/^Out of GPU memory on rank 1 — needed/);
    expect(text('.jp-GpuHeadroomReport-worker')).toBe(
      'It failed in train, In [4], line 6. Process 1190. Others that failed with it: 2.'
    );
    show({});
    expect(text('.jp-GpuHeadroomReport-worker')).toBe('');
  });

  describe('after a sticky CUDA error', () => {
    const stopped: Partial<IReport> = {
      sticky_error: true,
      parts: [],
      traceback_bytes: null,
      cause: null,
      remedies: [RESTART, FREE]
    };

    it('should state that only a restart helps, and offer nothing else', () => {
      show(stopped);
      expect(text('h3')).toContain('only a restart helps');
      expect(buttons()).toEqual(['Restart kernel…']);
      button('Restart kernel…').click();
      expect(actions).toEqual([['restart', 'restart']]);
    });

    it('should not announce numbers that it does not have', () => {
      show({});
      expect(text('[data-fold=details] summary')).toContain('numbers');
      show({ ...stopped, details: [] });
      expect(text('[data-fold=details] summary')).toBe('Details');
    });

    it('should offer no restart of a kernel that did not make it', () => {
      show(stopped, SAVED);
      expect(buttons()).toEqual([]);
    });
  });

  describe('after freeing', () => {
    const freed: IReportState = { ...CONFIRMED, released: RELEASED };
    const primary = (): string => text('button.jp-mod-primary');

    it('should show the freed memory and the headroom', () => {
      show({}, freed);
      expect(text('h3')).toBe('12.0 GiB freed — headroom is now 13.8 GiB');
      const bars = [...host.querySelectorAll('[role="img"]')];
      expect(bars.map(bar => bar.getAttribute('aria-label'))).toEqual([
        expect.stringContaining('At failure: outside 0.7 GiB'),
        'Now: outside 0.7 GiB, in use 0.2 GiB, free 13.8 GiB'
      ]);
      expect(host.textContent).toContain('headroom 1.8 GiB');
    });

    it('should show why it was freed automatically, and what is lost', () => {
      const said =
        'automatically, as set in the settings. You lose %debug for this error.';
      show({}, freed);
      expect(host.textContent).not.toContain(said);
      show({}, { ...freed, released: { ...RELEASED, automatic: true } });
      expect(host.textContent).toContain(said);
    });

    it('should still show what happened and why', () => {
      show({}, freed);
      expect(text('.jp-GpuHeadroomReport-occasion')).toMatch(
        /^Out of GPU memory — needed 2\.00 GiB more, 0\.71 GiB was available\. .*9\.8 GiB/
      );
      show({ cause: null }, freed);
      expect(text('.jp-GpuHeadroomReport-occasion')).toMatch(/available\.$/);
    });

    it('should state no effect of a fix if it is unknown', () => {
      for (const effect_bytes of [null, 2 ** 40]) {
        show({ remedies: [{ ...SMALLER_BATCH, effect_bytes }] }, freed);
        expect(text('.jp-GpuHeadroomReport-verdict')).toMatch(/fail again\.$/);
      }
    });

    it('should show the fix when freeing is not enough', () => {
      show({}, freed);
      expect(text('.jp-GpuHeadroomReport-verdict')).toBe(
        'Unchanged, this cell needs at least 14.0 GiB and would probably fail again. With batch_size = 512: about 9.1 GiB.'
      );
      expect(primary()).toBe('');
      button('Re-run cell').click();
      expect(actions).toEqual([['rerun', null]]);
    });

    it('should offer to run again first if it fits', () => {
      show({ fits_after_free: true }, freed);
      expect(primary()).toBe('Re-run cell');
      expect(host.querySelector('.jp-GpuHeadroomReport-verdict')).toBeNull();
    });

    it('should have no primary button if the cell fails again and has no fix', () => {
      show({ remedies: [FREE] }, freed);
      expect(primary()).toBe('');
      expect(buttons()).toContain('Re-run cell');
    });

    it('should leave out the remedy that was used', () => {
      show({}, freed);
      expect(host.querySelectorAll('ol > li')).toHaveLength(1);
      expect(buttons()).not.toContain('Free now');
    });

    it.each(['nothing', 'failed', 'cancelled'] as const)(
      'should not change when the release ended as %s',
      status => {
        show({}, { ...freed, released: { ...RELEASED, status } });
        expect(text('h3')).toContain('Out of GPU memory');
      }
    );

    it('should not change when nothing was freed', () => {
      const released = { ...RELEASED, freed_bytes: 0 };
      show({}, { ...freed, released });
      expect(text('h3')).toContain('Out of GPU memory');
    });
  });

  describe('rendering again', () => {
    it('should keep the focus on the same button', () => {
      show({});
      button('Free now').focus();
      show(
        {},
        {
          ...CONFIRMED,
          remedies: { [FREE.id]: { status: 'running', text: '' } }
        }
      );
      expect(document.activeElement).toBe(button('Freeing…'));
    });

    it('should move the focus to the title when its button is gone', () => {
      show({});
      button('Free now').focus();
      show({}, { ...CONFIRMED, released: RELEASED });
      expect(document.activeElement).toBe(host.querySelector('h3'));
    });

    it('should not move the focus from outside', () => {
      show({});
      expect(document.activeElement).toBe(document.body);
    });

    it('should keep sections open', () => {
      show({});
      const details = host.querySelector('details');
      if (details) {
        details.open = true;
      }
      show({}, SAVED);
      expect(host.querySelector('details')?.open).toBe(true);
    });
  });

  it('should fall back to the English of an untranslated sentence', () => {
    show({ remedies: [{ ...FREE, title: message('remedy.new') }] });
    expect(host.textContent).toContain('English of remedy.new');
  });
});
