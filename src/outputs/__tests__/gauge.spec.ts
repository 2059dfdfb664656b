import { gib, message, RELEASED } from '../../__tests__/report';
import { DEVICE, deviceWith, EVENTS, SAMPLE } from '../../__tests__/samples';
import { RANK_GPU, UNMEASURED, workersWith } from '../../__tests__/workers';
import { MIB } from '../../text/format';
import { Connection } from '../connection';
import { Gauge } from '../gauge';
import type { IGoogleColab } from '../google';
import { Inserting } from '../inserting';
import { FakeKernel } from './fakekernel';
import { buttonsIn, pass, pressIn } from './person';

// As in the script of an output.
jest.mock('react', () => jest.requireActual<object>('preact'));

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  '<b>bold</b>',
  '&lt;b&gt;',
  '"><svg onload=alert(1)>',
  "'; alert(1); //",
  'javascript:alert(1)',
  '${alert(1)}',
  '{{constructor}}',
  '__proto__',
  '\u202Egnp.exe',
  '\u2028'
];

/** Text of workers whose GPU is fuller than the kernel's own. */
const FULLER = '2 ranks · fullest worker 93%';

const ITEM = {
  ...EVENTS.plan.items[0],
  title: { text: 'Tracebacks of failed cells' },
  cost: { text: '' },
  expected_bytes: gib(12)
};

/** Reactions of a helper to each request. */
function helper({ id, type }: { id: string; type: string }): {
  reply: object;
  events: object[];
} {
  const event = { helper_id: 'helper-1', request_id: id };
  const events: Record<string, object[]> = {
    plan: [
      {
        ...event,
        type: 'plan',
        complete: true,
        items: [
          ITEM,
          { ...ITEM, id: 'variable', title: { text: '`x`' }, safe: false },
          {
            ...ITEM,
            id: 'small',
            title: { text: 'y' },
            expected_bytes: 9 * MIB
          }
        ],
        shared: [],
        message: { text: 'About 12.0 GiB can be freed.' }
      }
    ],
    holders: [
      {
        ...event,
        type: 'holders',
        devices: [
          {
            device_index: 0,
            in_use_bytes: gib(12.2),
            rows: [
              { name: 'model', origin: 'names', bytes: gib(9) },
              { name: 'In [7]', origin: 'traceback', bytes: gib(2) },
              {
                name: '',
                origin: 'elsewhere',
                type_name: 'dict',
                bytes: gib(1)
              }
            ]
          },
          { device_index: 1, in_use_bytes: 0, rows: [] }
        ],
        message: { text: 'Measured 12.0 of 12.2 GiB.' }
      }
    ],
    cleanup: [
      { ...event, type: 'cleanup', code: 'gc.collect()', message: { text: '' } }
    ],
    release: [{ ...RELEASED, release_id: 'release-1', report_id: null }]
  };
  const reply = {
    type,
    id,
    status: 'queued',
    release_id: 'release-1',
    points: []
  };
  return { reply, events: events[type] ?? [] };
}

describe('Gauge', () => {
  let host: HTMLElement;
  let kernel: FakeKernel;
  let connection: Connection;
  let colab: IGoogleColab;
  let cells: string[];

  const text = (): string => host.textContent ?? '';
  const paragraphs = (): (string | null)[] =>
    [...host.querySelectorAll('section > p')].map(node => node.textContent);
  const buttons = (): string[] => buttonsIn(host);
  const rows = (list: string): (string | null)[] =>
    [...host.querySelectorAll(`${list} > div`)].map(row => row.textContent);
  const press = (label: string): Promise<void> => pressIn(host, label);
  const tell = async (fields: object): Promise<void> => {
    kernel.fields = fields;
    kernel.push(kernel.sample());
    await pass(0);
  };

  /** Create a gauge on a page. */
  const begin = async (isCompact = false): Promise<void> => {
    connection = new Connection(kernel, 'output-1', 'helper-1');
    connection.listener = new Gauge(
      host,
      connection,
      new Inserting(colab),
      isCompact
    );
    connection.look(true);
    await pass(0);
    await pass(0);
  };

  beforeEach(() => {
    jest.useFakeTimers();
    host = document.createElement('div');
    host.innerHTML = '<table><td>as it was</td></table>';
    document.body.replaceChildren(host);
    kernel = new FakeKernel();
    kernel.onRequest = helper;
    cells = [];
    colab = { notebook: { addCell: (code: string) => cells.push(code) } };
  });

  afterEach(() => {
    connection.end();
    jest.useRealTimers();
  });

  describe('before the kernel replies', () => {
    it.each(['silent', 'deaf', 'empty', 'busy'] as const)(
      'should keep the saved content if the kernel is %s',
      async state => {
        const saved = host.innerHTML;
        kernel.state = state;
        await begin();
        await pass(60_000);
        expect(host.innerHTML).toBe(saved);
      }
    );
  });

  describe('of a kernel that replies', () => {
    it('should show headroom, used, and each part of it', async () => {
      await begin();
      expect(text()).toContain('Headroom: 8.4 GiB');
      expect(text()).toContain('GPU 0, Tesla T4');
      expect(text()).toContain('used 6.3 of 14.7 GiB');
      expect(rows('.jp-GpuHeadroom-legend')).toEqual([
        "Outside this kernel's PyTorch1.0 GiB",
        'of it, other programs0.7 GiB',
        'In use by tensors5.3 GiB',
        'Cached by PyTorch, unused1.1 GiB',
        'Free7.3 GiB'
      ]);
    });

    it('should continue after a reading that it cannot show', async () => {
      const warn = jest.spyOn(console, 'warn').mockImplementation();
      await begin();
      // A message without its template.
      const notes = [{ id: 'note', text: 'A note.' }];
      await tell({ devices: [{ ...DEVICE, notes }] });
      expect(warn).toHaveBeenCalledWith(
        'GPU Headroom: a message was not understood',
        expect.any(TypeError)
      );
      await tell({ devices: [{ ...DEVICE, headroom_bytes: gib(2.5) }] });
      expect(text()).toContain('Headroom: 2.5 GiB');
      expect(kernel.wires).toHaveLength(1);
      warn.mockRestore();
    });

    it('should show that a device shares its memory with the host', async () => {
      await begin();
      expect(text()).not.toContain('shares its memory');
      await tell({ devices: [{ ...DEVICE, shared_with_host: true }] });
      expect(text()).toContain('Shared with the host: its programs');
    });

    it('should mark in the chart where a cell ran out of memory', async () => {
      await begin();
      const failures = (): number =>
        host.querySelectorAll('svg .jp-mod-failure').length;
      expect(failures()).toBe(0);
      const { time_s } = SAMPLE;
      const ended = { start_s: time_s - 20, end_s: time_s - 10 };
      kernel.push({ ...EVENTS.cell, ...ended, status: 'oom' });
      await pass(0);
      expect(failures()).toBe(1);
    });

    it('should show the age of its numbers', async () => {
      await begin();
      kernel.begin();
      await pass(12_000);
      expect(text()).toContain('updated 12 s ago');
    });

    it('should show every device', async () => {
      await begin();
      await tell({ devices: [DEVICE, { ...deviceWith(2), index: 1 }] });
      expect(text()).toContain('GPU 1, Tesla T4');
      expect(host.querySelectorAll('svg[width]')).toHaveLength(2);
    });

    it('should label a simulated GPU', async () => {
      await begin();
      await tell({ devices: [{ ...DEVICE, simulated: true }] });
      expect(text()).toContain('Simulated GPU 0');
    });

    it('should show what is not measured', async () => {
      await begin();
      const unknown = {
        capacity_bytes: null,
        free_bytes: null,
        outside_bytes: null,
        used_bytes: null,
        headroom_bytes: null
      };
      await tell({ devices: [{ ...DEVICE, ...unknown }] });
      expect(text()).toContain('Headroom: not measured');
      expect(rows('.jp-GpuHeadroom-legend')).toContain('Freenot measured');
    });

    it.each([
      ['no_framework', [], 'This kernel has no GPU framework loaded yet.'],
      ['not_initialised', [], 'This kernel has not used the GPU yet.'],
      [
        'not_initialised',
        [{ ...DEVICE, outside_bytes: gib(2) }],
        'Other programs use 2.0 of 14.7 GiB.'
      ]
    ])('should show it if it is %s', async (state, devices, said) => {
      await begin();
      await tell({ state, devices });
      expect(text()).toContain(said);
    });

    it.each([false, true])(
      'should label a simulated GPU that was not used yet; in one line: %s',
      async isCompact => {
        await begin(isCompact);
        const devices = [{ ...DEVICE, simulated: true }];
        await tell({ state: 'not_initialised', devices });
        expect(text()).toContain('Simulated GPU 0 · updated');
      }
    );

    it('should show that there is no GPU once that is certain', async () => {
      await begin();
      await tell({ state: 'no_gpu', devices: [] });
      expect(text()).not.toContain('No GPU');
      await pass(3000);
      expect(text()).toContain('No GPU');
      expect(text()).toContain('This kernel sees no GPU.');
    });

    it('should show when it is full', async () => {
      await begin();
      kernel.begin();
      const trend = {
        device_index: 0,
        state: 'growing',
        bytes_per_s: gib(0.1),
        bytes_per_step: null,
        steps: null,
        full_in_s: 41,
        full_in_steps: null
      };
      await tell({ trends: [trend] });
      expect(text()).toContain('At this rate it is full in about 40 s.');
    });

    it('should show the warnings of the helper', async () => {
      await begin();
      kernel.push({
        type: 'warning',
        helper_id: 'helper-1',
        message: { text: 'This cell kept 1.0 GiB more on each run.' }
      });
      await pass(0);
      expect(text()).toContain('This cell kept 1.0 GiB more on each run.');
    });

    it('should show a sticky CUDA error', async () => {
      await begin();
      const notes = [message('sticky_error.sentence')];
      await tell({ devices: [{ ...DEVICE, notes }] });
      expect(text()).toContain('restart needed');
    });

    it.each([
      [{ devices: [deviceWith(1)] }, RANK_GPU, '2 ranks'],
      [{}, { ...RANK_GPU, used_bytes: gib(13.7) }, FULLER],
      [{ state: 'not_initialised' }, RANK_GPU, '2 ranks · fullest 67%'],
      [{ state: 'no_gpu', devices: [] }, null, '2 ranks']
    ])('should show what workers use (%#)', async (sample, fullest, said) => {
      await begin();
      await tell({ ...sample, workers: workersWith({ fullest }) });
      expect(paragraphs()).toContain(said);
      await tell({ ...sample, workers: workersWith({ engines: [] }) });
      expect(paragraphs()).not.toContain(said);
    });

    it.each([
      ['that are not measured', workersWith({ engines: [UNMEASURED] })],
      ['of a helper that knows none', undefined]
    ])('should not mention workers %s', async (_, workers) => {
      await begin();
      await tell({ workers });
      expect(text()).toContain('Headroom: 8.4 GiB');
      expect(text()).not.toMatch(/worker|rank/);
    });

    it('should keep the button that has the focus', async () => {
      await begin();
      const button = host.querySelector('button');
      button?.focus();
      await tell({ devices: [deviceWith(2)] });
      expect(text()).toContain('Headroom: 2.0 GiB');
      expect(document.activeElement).toBe(button);
    });

    it('should draw the minutes before', async () => {
      const points = [240, 180, 120].map(ago_s => ({
        time_s: SAMPLE.time_s - ago_s,
        device_index: 0,
        in_use_bytes: gib(9),
        cached_bytes: 0,
        outside_bytes: gib(1),
        width_s: 1,
        low_bytes: gib(10)
      }));
      kernel.onRequest = request => ({
        ...helper(request),
        reply: { ...helper(request).reply, points }
      });
      await begin();
      await pass(1000);
      const chart = host.querySelector('[role="img"] svg')?.parentElement;
      // As long as the session, like in popup and panel.
      expect(chart?.getAttribute('aria-label')).toBe(
        'Whole session: peak 10.0 GiB'
      );
    });
  });

  describe('of a kernel that does not reply', () => {
    it('should keep its last numbers, marked as old', async () => {
      await begin();
      await pass(1000);
      kernel.state = 'deaf';
      await pass(20_000);
      expect(text()).toContain('Headroom: 8.4 GiB');
      expect(text()).toContain('Not connected');
      expect(text()).toMatch(/updated 1\d s ago|updated 2\d s ago/);
    });

    it('should request what it has missed if the kernel had dropped it', async () => {
      await begin();
      await pass(1000);
      const asked = (): number =>
        kernel.requests.filter(type => type === 'history').length;
      expect(asked()).toBe(1);
      kernel.wire.close();
      await pass(2000);
      expect(asked()).toBe(2);
    });

    it('should show that it was restarted', async () => {
      await begin();
      kernel.state = 'empty';
      kernel.wire.close();
      await pass(10_000);
      expect(text()).toContain(
        'The kernel was restarted: run this cell again.'
      );
      expect(buttons()).toEqual(['Try again']);
    });

    it('should continue with the next helper', async () => {
      await begin();
      kernel.state = 'empty';
      kernel.wire.close();
      await pass(10_000);
      kernel.state = 'rest';
      kernel.helperId = 'helper-2';
      await press('Try again');
      await tell({ devices: [deviceWith(2)] });
      expect(text()).toContain('Headroom: 2.0 GiB');
      expect(text()).not.toContain('restarted');
    });

    it('should pause, and resume on request', async () => {
      await begin();
      await pass(601_000);
      expect(text()).toContain('Paused');
      await press('Continue');
      expect(text()).not.toContain('Paused');
    });
  });

  describe('freeing', () => {
    it('should list what is safe before it frees', async () => {
      await begin();
      await press('Free memory…');
      expect(text()).toContain('About 12.0 GiB can be freed.');
      expect(text()).toContain('Tracebacks of failed cells12.0 GiB');
      expect(text()).not.toContain('x12.0 GiB');
      expect(text()).not.toContain('9 MiB');
      expect(kernel.requests).not.toContain('release');
    });

    it('should free the safe set, and show what was freed', async () => {
      await begin();
      await press('Free memory…');
      await press('Free now');
      expect(kernel.said.map(({ request }) => request)).toContainEqual(
        expect.objectContaining({ type: 'release', items: null, confirmed: [] })
      );
      expect(text()).toContain('Freed 12.0 GiB: headroom 1.8 → 13.8 GiB');
      expect(text()).toContain('Returned to the GPU13.0 GiB');
      await press('Close');
      expect(buttons()).toEqual(['Free memory…', 'See what holds the memory']);
    });

    it('should show that it waits while a cell runs, and cancel it', async () => {
      await begin();
      await press('Free memory…');
      kernel.begin();
      await pass(0);
      await press('Free now');
      expect(text()).toContain('Starts when the running cell finishes');
      expect(text()).toContain('About 12.0 GiB can be freed.');
      await press('Cancel');
      kernel.end();
      await pass(5000);
      expect(kernel.requests).not.toContain('release');
    });

    it('should free when the running cell has ended', async () => {
      await begin();
      kernel.begin();
      await pass(0);
      await press('Free memory…');
      expect(text()).toContain('See what can be freed');
      kernel.end();
      await pass(100);
      await press('Free now');
      expect(text()).toContain('Freed 12.0 GiB');
    });

    it('should insert the clean-up cell', async () => {
      await begin();
      await press('Free memory…');
      await press('Insert clean-up cell');
      expect(cells).toEqual(['gc.collect()']);
      expect(text()).toContain('Inserted below, not run yet.');
    });

    it('should select its code if nothing else is allowed', async () => {
      colab = {};
      await begin();
      await press('Free memory…');
      await press('Insert clean-up cell');
      expect(host.querySelector('pre')?.textContent).toBe('gc.collect()');
      expect(getSelection()?.toString()).toBe('gc.collect()');
    });
  });

  describe('what uses the memory', () => {
    it('should be listed, adding up to what is in use', async () => {
      await begin();
      await press('See what holds the memory');
      expect(text()).toContain('Measured 12.0 of 12.2 GiB.');
      expect(rows('.jp-GpuHeadroomLive-box dl')).toEqual([
        'model9.0 GiB',
        'Traceback of In [7]2.0 GiB',
        'no name (dict)1.0 GiB',
        'All else0.2 GiB',
        'In use on GPU 012.2 GiB'
      ]);
      await press('Close');
      expect(text()).not.toContain('model');
    });

    it('should wait for the running cell', async () => {
      await begin();
      kernel.begin();
      await pass(0);
      await press('See what holds the memory');
      expect(text()).toContain('Starts when the running cell finishes');
      expect(text()).toContain('See what holds the memory');
      kernel.end();
      await pass(100);
      expect(text()).toContain('Measured 12.0 of 12.2 GiB.');
    });
  });

  describe('in one line', () => {
    it('should show used, headroom and age', async () => {
      await begin(true);
      await pass(2000);
      expect(text()).toBe(
        'GPU 6.3 / 14.7 GiBheadroom 8.4 GiBupdated 1 s agoFree memory…'
      );
    });

    it('should show what workers use there', async () => {
      await begin(true);
      const fullest = { ...RANK_GPU, used_bytes: gib(13.7) };
      await tell({ workers: workersWith({ fullest }) });
      expect(text()).toContain(`headroom 8.4 GiB· ${FULLER}updated`);
    });

    it('should show the state in words', async () => {
      await begin(true);
      await tell({ state: 'no_framework', devices: [] });
      expect(text()).toContain('GPU idle — not initialized');
    });
  });

  it.each(HOSTILE)('should show %s as text', async name => {
    kernel.onRequest = request => {
      const { reply, events } = helper(request);
      const items = [{ ...ITEM, title: { text: name } }];
      return {
        reply,
        events: events.map(event => ({
          ...event,
          items,
          devices: [
            {
              device_index: 0,
              in_use_bytes: gib(1),
              rows: [{ name, origin: 'names', bytes: gib(1) }]
            }
          ],
          message: { text: name }
        }))
      };
    };
    await begin();
    await tell({
      devices: [
        {
          ...DEVICE,
          name,
          notes: [{ id: name, template: name, params: {}, text: name }]
        }
      ]
    });
    kernel.push({
      type: 'warning',
      helper_id: 'helper-1',
      message: { text: name }
    });
    await press('Free memory…');
    await press('Close');
    await press('See what holds the memory');
    expect(text()).toContain(`GPU 0, ${name}`);
    expect(
      host.querySelectorAll('img, script, b, [onload], [onerror]')
    ).toHaveLength(0);
  });
});
