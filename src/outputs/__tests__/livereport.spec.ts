import {
  ELSEWHERE,
  FREE,
  IN_FILE,
  message,
  RELEASED,
  REPORT,
  RESTART,
  SAVE,
  SMALLER_BATCH,
  SNIPPET,
  SUGGESTION
} from '../../__tests__/report';
import { EVENTS } from '../../__tests__/samples';
import type { IReport } from '../../protocol';
import { PROTOCOL_VERSION } from '../../protocol';
import { Connection } from '../connection';
import type { IGoogleColab } from '../google';
import { Inserting } from '../inserting';
import { LiveReport } from '../livereport';
import { FakeKernel } from './fakekernel';
import {
  buttonsIn,
  giveClipboard,
  pass,
  pressIn,
  takeClipboard
} from './person';

// As in the script of an output.
jest.mock('react', () => jest.requireActual<object>('preact'));

const FIXED = [
  { cell_id: 'cell-2', execution_count: 2, source: 'batch_size = 512' },
  { cell_id: 'cell-7', execution_count: 7, source: 'train()' }
];

describe('LiveReport', () => {
  let host: HTMLElement;
  let kernel: FakeKernel;
  let connection: Connection;
  let colab: IGoogleColab;
  let cells: string[];
  let report: IReport;
  let status: 'known' | 'unknown';
  let released: object;
  /** The last release that the helper has of the report. */
  let known: object | null;

  const text = (): string => host.textContent ?? '';
  const buttons = (): string[] => buttonsIn(host);
  const press = async (label: string): Promise<void> => {
    await pressIn(host, label);
    if (label.endsWith('fixed cell')) {
      // One question after the other, each once a poll was answered.
      await pass(1000);
    }
  };

  const begin = async (): Promise<void> => {
    connection = new Connection(kernel, 'output-1', 'helper-1');
    connection.listener = new LiveReport(
      host,
      connection,
      new Inserting(colab),
      {
        helper_id: 'helper-1',
        report_id: 'report-1'
      }
    );
    connection.look(true);
    await pass(0);
    await pass(0);
  };

  beforeEach(() => {
    jest.useFakeTimers();
    host = document.createElement('div');
    host.innerHTML = '<p>as it was</p>';
    document.body.replaceChildren(host);
    cells = [];
    colab = { notebook: { addCell: (code: string) => cells.push(code) } };
    report = REPORT;
    status = 'known';
    known = null;
    released = { ...RELEASED, release_id: 'release-1' };
    kernel = new FakeKernel();
    kernel.onRequest = ({ id, type }) => {
      switch (type) {
        case 'report':
          return {
            reply: {
              type,
              id,
              status,
              report: status === 'known' ? report : null,
              released: known
            }
          };
        case 'fix':
          return {
            reply: {
              type,
              id,
              status: 'ok',
              run: ['cell-2', 'cell-7'],
              caution: message('fix.caution'),
              message: message('fix.ok')
            },
            fixed: FIXED
          };
        case 'rerun':
          return {
            reply: { type, id, status: 'queued' },
            events: [{ ...EVENTS.rerun, request_id: id }]
          };
        default:
          return {
            reply: { type, id, release_id: 'release-1', status: 'queued' },
            events: [released]
          };
      }
    };
  });

  afterEach(() => {
    connection.end();
    jest.useRealTimers();
  });

  describe('before the helper confirms it', () => {
    it.each(['silent', 'deaf', 'empty', 'busy'] as const)(
      'should stay as it was saved if the kernel is %s',
      async state => {
        const saved = host.innerHTML;
        kernel.state = state;
        jest.spyOn(kernel, 'call').mockRejectedValue(new Error('no'));
        await begin();
        await pass(60_000);
        expect(host.innerHTML).toBe(saved);
      }
    );

    it('should ask again once the kernel replies', async () => {
      kernel.state = 'busy';
      jest.spyOn(kernel, 'call').mockRejectedValue(new Error('no'));
      await begin();
      await pass(60_000);
      kernel.end();
      await pass(1000);
      expect(buttons()).toContain('Free now');
    });

    it('should stay as it was saved if the report is unknown', async () => {
      const saved = host.innerHTML;
      status = 'unknown';
      await begin();
      await pass(60_000);
      expect(host.innerHTML).toBe(saved);
      expect(kernel.said).toHaveLength(1);
    });

    it('should stay as it was saved with another helper', async () => {
      const saved = host.innerHTML;
      kernel.helperId = 'helper-2';
      await begin();
      expect(host.innerHTML).toBe(saved);
      expect(kernel.said).toHaveLength(0);
    });
  });

  it('should send only its ids', async () => {
    await begin();
    expect(kernel.said[0]?.request).toEqual({
      type: 'report',
      id: expect.stringMatching(/^frame-/) as string,
      protocol_version: PROTOCOL_VERSION,
      helper_id: 'helper-1',
      report_id: 'report-1'
    });
  });

  it('should have no buttons that only JupyterLab has', async () => {
    report = {
      ...REPORT,
      remedies: [FREE, SMALLER_BATCH, SNIPPET, SAVE, SUGGESTION]
    };
    await begin();
    expect(buttons()).toEqual([
      'Free now',
      'Insert fixed cell',
      'Insert as cell',
      'Insert as cell',
      'Insert a dry run of the edits',
      'Copy'
    ]);
  });

  it('should have none after a sticky CUDA error', async () => {
    report = { ...REPORT, sticky_error: true, remedies: [RESTART, FREE] };
    await begin();
    expect(text()).toContain('CUDA has stopped');
    expect(buttons()).toEqual([]);
  });

  describe('after a restart', () => {
    it('should be as it was saved once the kernel has no helper', async () => {
      const saved = host.innerHTML;
      await begin();
      kernel.state = 'empty';
      kernel.wire.close();
      await pass(10_000);
      expect(host.innerHTML).toBe(saved);
    });

    it('should be as it was saved once another helper replies', async () => {
      const saved = host.innerHTML;
      await begin();
      kernel.helperId = 'helper-2';
      await pass(10_000);
      expect(host.innerHTML).toBe(saved);
      const before = kernel.said.length;
      await pass(60_000);
      expect(kernel.said).toHaveLength(before);
    });
  });

  describe('freeing', () => {
    it('should free what the failed cell retains, and show the numbers', async () => {
      await begin();
      await press('Free now');
      expect(kernel.said.map(({ request }) => request)).toContainEqual(
        expect.objectContaining({
          type: 'release',
          items: ['traceback', 'garbage', 'cache'],
          confirmed: [],
          report_id: 'report-1'
        })
      );
      expect(text()).toContain('12.0 GiB freed — headroom is now 13.8 GiB');
    });

    it('should explain how to run the cell again', async () => {
      report = { ...REPORT, fits_after_free: true };
      await begin();
      await press('Free now');
      expect(text()).toContain('Run the cell above again.');
      expect(buttons()).not.toContain('Re-run cell');
    });

    it('should offer the fix if the cell would fail again', async () => {
      await begin();
      await press('Free now');
      expect(text()).toContain('Run the fixed cell instead');
      expect(buttons()).toContain('Insert fixed cell');
    });

    it('should show why nothing was freed', async () => {
      released = {
        ...RELEASED,
        release_id: 'release-1',
        status: 'nothing',
        freed_bytes: 0,
        message: message('released.nothing')
      };
      await begin();
      await press('Free now');
      expect(text()).toContain('English of released.nothing');
      expect(buttons()).toContain('Free now');
    });

    it('should wait for the running cell, and show that', async () => {
      await begin();
      kernel.begin();
      await pass(0);
      await press('Free now');
      await pass(500);
      expect(text()).toContain('Starts when the running cell finishes.');
      kernel.end();
      await pass(100);
      expect(text()).toContain('12.0 GiB freed');
    });

    it('should be canceled while it waits', async () => {
      await begin();
      kernel.begin();
      await pass(0);
      await press('Free now');
      await pass(500);
      await press('Cancel');
      expect(text()).not.toContain('Queued.');
      kernel.end();
      await pass(10_000);
      expect(kernel.requests).not.toContain('release');
    });

    it('should show what another output has freed of it', async () => {
      await begin();
      kernel.push({ ...RELEASED, report_id: 'report-1' });
      await pass(0);
      expect(text()).toContain('12.0 GiB freed');
    });

    it.each([null, 'report-2'])(
      'should not show as its own what was freed of %s',
      async report_id => {
        await begin();
        kernel.push({ ...RELEASED, report_id });
        await pass(0);
        expect(text()).not.toContain('GiB freed');
      }
    );

    it('should show what was freed while the kernel had dropped it', async () => {
      await begin();
      known = { ...RELEASED, report_id: 'report-1' };
      kernel.wire.close();
      await pass(10_000);
      expect(text()).toContain('12.0 GiB freed');
    });
  });

  describe('code', () => {
    afterEach(takeClipboard);

    it('should insert the cells that a fix changes, whole and in order', async () => {
      report = { ...REPORT, remedies: [ELSEWHERE] };
      await begin();
      await press('Insert fixed cell');
      expect(cells).toEqual(['batch_size = 512\n\ntrain()']);
      expect(text()).toContain('Inserted below, not run yet.');
      expect(buttons()).not.toContain('Insert fixed cell');
    });

    it('should show what running them repeats, and which training state is lost', async () => {
      await begin();
      await press('Insert fixed cell');
      expect(text()).toContain(
        'Inserted below, not run yet. English of fix.caution English of rerun.lost'
      );
      expect(kernel.said.map(({ request }) => request)).toContainEqual(
        expect.objectContaining({
          type: 'rerun',
          run: ['cell-2', 'cell-7'],
          sources: {}
        })
      );
      expect(kernel.requests).not.toContain('release');
    });

    it('should free no names of the user', async () => {
      await begin();
      await press('Free now');
      expect(kernel.said.map(({ request }) => request)).toContainEqual(
        expect.objectContaining({
          type: 'release',
          items: ['traceback', 'garbage', 'cache'],
          confirmed: []
        })
      );
    });

    it('should send no source of any cell', async () => {
      await begin();
      await press('Insert fixed cell');
      expect(kernel.said.map(({ request }) => request)).toContainEqual(
        expect.objectContaining({ type: 'fix', sources: {} })
      );
    });

    it.each([
      ['a snippet', SNIPPET],
      ['what saves a training', SAVE]
    ])('should insert the code of %s', async (_, remedy) => {
      report = { ...REPORT, remedies: [remedy] };
      await begin();
      expect(text()).not.toContain('in a new cell');
      await press('Insert as cell');
      expect(cells).toEqual([remedy.type_this]);
      expect(buttons()).not.toContain('Insert as cell');
    });

    it('should copy if inserting is not offered', async () => {
      colab = {};
      report = { ...REPORT, remedies: [SMALLER_BATCH, SNIPPET] };
      const written = giveClipboard();
      await begin();
      expect(buttons()).toEqual([
        'Copy fixed cell',
        'Copy',
        'Copy a dry run of the edits'
      ]);
      await press('Copy fixed cell');
      expect(written).toEqual(['batch_size = 512\n\ntrain()']);
      expect(text()).toContain('Copied: paste it into a new cell.');
      expect(buttons()).toContain('Copy fixed cell');
    });

    it('should copy a suggestion, and announce it', async () => {
      const written = giveClipboard();
      report = { ...REPORT, remedies: [SUGGESTION] };
      await begin();
      const status = host.querySelector('ol [role=status]');
      await press('Copy');
      await press('Copy');
      expect(written).toEqual([SUGGESTION.example, SUGGESTION.example]);
      expect(cells).toEqual([]);
      expect(host.querySelector('ol [role=status]')).toBe(status);
      expect(status?.textContent).toBe('Copied.');
    });

    it('should select a suggestion if copying is refused', async () => {
      report = { ...REPORT, remedies: [SUGGESTION] };
      await begin();
      await press('Copy');
      expect(text()).toContain('Select this code and copy it:');
      expect(getSelection()?.toString()).toBe(SUGGESTION.example);
    });

    it('should show the code, selected, if copying is refused', async () => {
      colab = {};
      await begin();
      await press('Copy fixed cell');
      expect(getSelection()?.toString()).toBe('batch_size = 512\n\ntrain()');
    });

    it('should copy if inserting fails', async () => {
      colab = {
        notebook: { addCell: () => Promise.reject(new Error('no')) }
      };
      await begin();
      await press('Insert fixed cell');
      expect(host.querySelector('pre')?.textContent).toContain('train()');
    });

    it('should show the edit of a file as text, with a note', async () => {
      report = { ...REPORT, remedies: [FREE, IN_FILE], fits_after_free: false };
      await begin();
      await press('Free now');
      expect(buttons().filter(each => /fixed|Apply/.test(each))).toEqual([]);
      expect(text()).toContain('main.py');
      expect(text()).toContain('Change the code, then run the cell above');
    });

    it('should show why there is no fix', async () => {
      const { onRequest } = kernel;
      kernel.onRequest = request =>
        request.type === 'fix'
          ? {
              reply: {
                type: 'fix',
                id: request.id,
                status: 'changed',
                message: message('fix.changed')
              }
            }
          : onRequest(request);
      await begin();
      await press('Insert fixed cell');
      expect(text()).toContain('English of fix.changed');
      expect(cells).toEqual([]);
    });
  });
});
