import { Notification } from '@jupyterlab/apputils';
import type { IOutput } from '@jupyterlab/nbformat';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';

import {
  FakeGpuMemory,
  FakeMemory,
  goOn,
  settle
} from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { message, RELEASED } from '../../__tests__/report';
import { CELL, EVENTS, SAMPLE } from '../../__tests__/samples';
import type { ICell } from '../../protocol';
import { NotifyingServices } from '../../release/__tests__/services';
import { addReleases } from '../releases';

const RELEASE = 'gpu-headroom:release-memory';
const OF_CELL = 'gpu-headroom:release-cell-memory';

describe('the commands that free', () => {
  let commands: CommandRegistry;
  let memory: FakeMemory;

  beforeEach(() => {
    silenceYjs();
    Notification.manager.dismiss();
    commands = new CommandRegistry();
    memory = new FakeMemory();
    addReleases({
      commands,
      memory: new FakeGpuMemory(memory),
      notebooks: notebooks as unknown as INotebookTracker,
      sessions: new NotifyingServices().sessions,
      trans: nullTranslator.load('gpu-headroom')
    });
  });

  afterEach(() => {
    document.body.replaceChildren();
    jest.restoreAllMocks();
  });

  const shown = document.createElement('div');
  const notebooks = {
    currentWidget: null as NotebookPanel | null,
    forEach: (listen: (panel: { node: HTMLElement }) => void) => {
      listen({ node: shown });
    },
    widgetAdded: { connect: () => true }
  };

  const messages = (): string[] =>
    Notification.manager.notifications.map(({ message: text }) => text);

  const press = (): void => {
    const [notification] = Notification.manager.notifications;
    notification?.options.actions?.[0]?.callback(new MouseEvent('click'));
  };

  const answerWith = (status: 'queued' | 'waiting'): void => {
    memory.answers.release = () =>
      Promise.resolve({ release_id: 'release-1', status });
    memory.answers.cancel = () => Promise.resolve({ cancelled: true });
  };

  describe('the safe set', () => {
    it('should be freed, and show the result', async () => {
      answerWith('queued');
      const done = commands.execute(RELEASE);
      await goOn();
      expect(messages()).toEqual(['Freeing GPU memory…']);
      memory.send(RELEASED);
      await done;
      expect(memory.requests).toEqual([
        ['release', { items: null, confirmed: [], report_id: null }]
      ]);
      expect(messages()[0]).toMatch(
        /^Freed 12\.0 GiB: headroom 1\.8 → 13\.8 GiB\./
      );
    });

    it('should wait for a running cell by name, and be canceled', async () => {
      memory.set({ cell: { ...CELL, status: 'running', execution_count: 9 } });
      answerWith('waiting');
      const done = commands.execute(RELEASE);
      await goOn();
      expect(messages()).toEqual(['Queued. Starts when In [9] finishes.']);
      press();
      expect(memory.requests).toContainEqual([
        'cancel',
        { cancelled_id: 'release-1' }
      ]);
      memory.send({ ...RELEASED, status: 'cancelled' });
      await done;
      expect(messages()).toEqual([
        'Canceled: none of your variables was deleted.'
      ]);
    });

    it('should offer to undo what can be undone', async () => {
      answerWith('queued');
      const done = commands.execute(RELEASE);
      await settle();
      memory.send({ ...RELEASED, undo: ['restore:model'] });
      await done;
      memory.requests.length = 0;
      press();
      expect(memory.requests).toEqual([
        [
          'release',
          {
            items: ['restore:model'],
            confirmed: ['restore:model'],
            report_id: null
          }
        ]
      ]);
    });

    it('should be an icon with a tooltip in a toolbar', () => {
      expect(commands.label(RELEASE)).toBe('Release GPU');
      expect(commands.label(RELEASE, { toolbar: true })).toBe('');
      expect(commands.caption(RELEASE)).toMatch(/^Release GPU\nFrees/);
      expect(commands.caption(RELEASE)).toContain('You lose %debug');
    });
  });

  describe('the tooltip', () => {
    const point = async (): Promise<void> => {
      const button = document.createElement('button');
      button.dataset.command = RELEASE;
      shown.append(button);
      button.dispatchEvent(new Event('pointerover', { bubbles: true }));
      await settle();
    };

    beforeEach(() => {
      memory.set({ sample: { ...SAMPLE, busy: false } });
      memory.answers.plan = () => {
        setTimeout(() => {
          const text = message('plan.ready', { expected_bytes: 2 ** 30 });
          memory.send({ ...EVENTS.plan, request_id: '1', message: text });
        });
        return Promise.resolve({ status: 'queued' as const });
      };
    });

    it('should show what would be freed, measured once on hover', async () => {
      await point();
      await settle();
      expect(commands.caption(RELEASE)).toMatch(
        /^Release GPU\nAbout 1\.0 GiB can be freed/
      );
      await point();
      expect(memory.requests).toHaveLength(1);
    });

    it('should show no outdated estimate, and measure again', async () => {
      await point();
      await settle();
      memory.set({ cell: { ...CELL, start_s: CELL.start_s + 60 } });
      expect(commands.caption(RELEASE)).not.toContain('1.0 GiB');
      await point();
      expect(memory.requests).toHaveLength(2);
    });

    it('should send no request while a cell runs', async () => {
      memory.set({ cell: { ...CELL, status: 'running' } });
      await point();
      expect(memory.requests).toEqual([]);
    });
  });

  describe('what one cell left behind', () => {
    const select = (...outputs: IOutput[]): void => {
      const cells = [{ id: 'one', count: 5, outputs }];
      notebooks.currentWidget = makePanel(cells);
    };
    const error = {
      output_type: 'error',
      ename: '',
      evalue: '',
      traceback: []
    };
    const result = {
      output_type: 'execute_result',
      execution_count: 5,
      data: {},
      metadata: {}
    };

    /** Set the runs that this helper reports. */
    const ran = (...runs: Partial<ICell>[]): void => {
      memory.set({
        runs: runs.map((run, index) => ({
          ...CELL,
          cell_id: 'one',
          status: 'error',
          execution_count: 5,
          output_id: 'value of 5',
          start_s: index,
          ...run
        }))
      });
    };

    it.each<[string, IOutput[], string[]]>([
      ['its error', [error], ['traceback']],
      ['its displayed value', [result], ['value of 5']],
      ['both', [result, error], ['traceback', 'value of 5']]
    ])('should be freed: %s', async (_, outputs, items) => {
      select(...outputs);
      ran({});
      answerWith('queued');
      const done = commands.execute(OF_CELL);
      await settle();
      memory.send(RELEASED);
      await done;
      expect(memory.requests).toEqual([
        [
          'release',
          {
            items: [...items, 'garbage', 'cache'],
            confirmed: [],
            report_id: null
          }
        ]
      ]);
    });

    it.each<[string, Partial<ICell>[], string[]]>([
      ['its run is not known', [], []],
      ['it ran under another number', [{ execution_count: 7 }], ['traceback']],
      ['another cell ran under this number', [{ cell_id: 'two' }], []],
      [
        'another cell ran under this number since',
        [{ status: 'ok' }, { status: 'ok', cell_id: 'two' }],
        []
      ],
      [
        'another cell failed since',
        [{}, { cell_id: 'two', execution_count: 6 }],
        ['value of 5']
      ],
      ['it did not fail', [{ status: 'ok' }], ['value of 5']],
      ['it is still running', [{ status: 'running' }], ['value of 5']]
    ])(
      'should belong to the cell only if the helper reports it: %s',
      async (_, runs, items) => {
        // The notebook was saved with both, from an earlier session.
        select(error, result);
        ran(...runs);
        expect(commands.isEnabled(OF_CELL)).toBe(items.length > 0);
        answerWith('queued');
        void commands.execute(OF_CELL);
        await settle();
        const freed = memory.requests.flatMap(
          ([, args]) => (args as { items: string[] }).items
        );
        expect(freed).toEqual(
          items.length ? [...items, 'garbage', 'cache'] : []
        );
        memory.send(RELEASED);
      }
    );

    it('should be empty if the cell left neither', async () => {
      select({ output_type: 'stream', name: 'stdout', text: 'x' });
      ran({});
      expect(commands.isEnabled(OF_CELL)).toBe(false);
      await commands.execute(OF_CELL);
      expect(memory.requests).toEqual([]);
    });
  });
});
