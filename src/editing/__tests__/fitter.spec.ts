import { nullTranslator } from '@jupyterlab/translation';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { FakeFiles } from './fakefiles';
import { FakeMemory, settle } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import {
  gib,
  message,
  RELEASED,
  REPORT,
  SMALLER_BATCH
} from '../../__tests__/report';
import { CELL, EVENTS, RERUN_ITEM } from '../../__tests__/samples';
import * as running from '../../lab/run';
import type {
  IMessage,
  IOom,
  IReleased,
  IReport,
  IRerun
} from '../../protocol';
import { FakeServices } from '../../release/__tests__/services';
import type { ICost } from '../cost';
import { Fitter } from '../fitter';

// Copies whose functions can be spied on.
jest.mock('../../lab/run', () => ({
  __esModule: true,
  ...jest.requireActual<object>('../../lab/run')
}));

const FIX = SMALLER_BATCH.id;

const NOTHING = { items: [], cautions: [], saves: false };

/** A trained model that is deleted first. */
const TRAINED = {
  items: [{ ...RERUN_ITEM, id: 'rerun:1:cell-7' }],
  cautions: [message('rerun.lost', { names: 'model', cells: 'In [7]' })],
  saves: true
};

const NOTHING_CHANGED = {
  kind: 'canceled',
  text: 'Canceled: nothing was changed.'
};

const TRY_TAKEN_BACK = {
  kind: 'canceled',
  text: 'Canceled: the code is restored to before the last try.'
};

const SAFE = ['traceback', 'garbage', 'cache'];

const answer = <T>(value: T): Promise<T> => Promise.resolve(value);

/** A kernel in which a batch of a given size fits, simulated by the test. */
class Machine {
  constructor(readonly largest: number) {
    this.memory = new FakeMemory({
      report: ({ report_id }) =>
        answer({
          status: 'known',
          report: this.report(report_id),
          released: null
        }),
      fix: ({ sources }) => {
        const source = sources['cell-2'] ?? '';
        const old = Number(source.split(' = ')[1]);
        this.asked.push(old);
        return answer({
          status: 'ok',
          edits: [
            {
              cell_id: 'cell-2',
              first_line: 1,
              old_lines: [source],
              new_lines: [`batch_size = ${old / 2}`]
            }
          ],
          run: ['cell-2', 'cell-7'],
          message: message('fix.ok'),
          caution: this.caution
        });
      },
      rerun: ({ run, sources }) => {
        this.at('asking');
        this.seen.push({ run, sources });
        const event = { ...EVENTS.rerun, request_id: '1', ...this.cost };
        if (!this.isBusy) {
          setTimeout(() => {
            this.memory.send(event);
          });
        }
        return answer({ status: this.isBusy ? 'waiting' : 'queued' });
      },
      release: ({ confirmed, items }) => {
        this.at('freeing');
        this.released.push([items, confirmed]);
        if (!this.isBusy) {
          this.endRelease(RELEASED);
        }
        return answer({
          release_id: 'release-1',
          status: this.isBusy ? 'waiting' : 'queued'
        });
      },
      cancel: ({ cancelled_id }) => {
        this.cancelled.push(cancelled_id);
        if (cancelled_id === 'release-1') {
          this.endRelease({ ...RELEASED, status: 'cancelled' });
        } else {
          const status = 'cancelled' as const;
          this.memory.send({
            ...EVENTS.rerun,
            ...NOTHING,
            request_id: '1',
            status
          });
        }
        return answer({ cancelled: true });
      }
    });
    this.panel = makePanel([
      { id: 'cell-2', source: 'batch_size = 1024' },
      { id: 'cell-7', source: 'train(batch_size)' }
    ]);
  }

  /** Run cells: a batch that is too large fails, with a report. */
  run = (_: unknown, ids: readonly string[]): Promise<boolean> => {
    this.at('running');
    this.ran.push([this.source, ...ids]);
    this.onRun?.();
    if (this.batch <= this.largest) {
      const run = { ...CELL, cell_id: 'cell-7', start_s: 2, end_s: 3 };
      const [found] = CELL.memory;
      const memory = found ? [{ ...found, peak_bytes: gib(3) }] : [];
      this.memory.set({ runs: [{ ...run, memory, status: 'ok' }] });
      return answer(true);
    }
    if (!this.isSilent) {
      const oom: IOom = {
        type: 'oom',
        helper_id: REPORT.helper_id,
        report_id: `report-of-${this.batch}`,
        time_s: 0,
        cell_id: 'cell-7',
        device_index: 0,
        requested_bytes: null,
        available_bytes: null
      };
      this.memory.send(oom);
    }
    if (this.isScript) {
      const run = { ...CELL, cell_id: 'cell-7', start_s: this.ran.length + 2 };
      this.memory.set({ runs: [{ ...run, end_s: run.start_s + 1 }] });
    }
    return answer(this.isScript);
  };

  report(id: string): IReport {
    const next = this.batch / 2;
    const remedy = {
      ...SMALLER_BATCH,
      diffs: SMALLER_BATCH.diffs.map(diff => ({
        ...diff,
        sets: `batch_size = ${next}`
      }))
    };
    const remedies = next >= this.smallest ? [remedy] : [];
    return { ...REPORT, report_id: id, remedies };
  }

  endRelease(event: IReleased): void {
    setTimeout(() => {
      this.memory.send(event);
    });
  }

  /** Record a moment, and run what the test does at it. */
  at(moment: string): void {
    this.moments.push(moment);
    this.onMoment?.(moment);
  }

  fitter(once = false): Fitter {
    return new Fitter({
      once,
      session: new FakeServices().sessions.get(this.memory),
      panel: this.panel,
      report: this.report('report-1'),
      remedyId: FIX,
      files: new FakeFiles().files,
      translator: nullTranslator,
      agree: cost => {
        this.at('agreeing');
        this.questions.push(cost);
        return answer(this.agrees);
      }
    });
  }

  get source(): string {
    const cells = [...(this.panel.content.model?.cells ?? [])];
    const first = cells.find(({ id }) => id === 'cell-2');
    return first?.sharedModel.getSource() ?? '';
  }

  get batch(): number {
    return Number(this.source.split(' = ')[1]);
  }

  readonly memory: FakeMemory;
  readonly panel: NotebookPanel;
  readonly asked: number[] = [];
  readonly ran: string[][] = [];
  readonly questions: ICost[] = [];
  readonly moments: string[] = [];
  readonly cancelled: string[] = [];
  readonly released: [string[] | null, string[]][] = [];
  readonly seen: object[] = [];
  cost: Pick<IRerun, 'items' | 'cautions' | 'saves'> = NOTHING;
  isBusy = false;
  onMoment: ((moment: string) => void) | null = null;
  smallest = 1;
  caution: IMessage | null = null;
  agrees = true;
  isSilent = false;
  isScript = false;
  onRun: (() => void) | null = null;
}

describe('Fitter', () => {
  let machine: Machine;

  beforeEach(() => {
    silenceYjs();
    machine = new Machine(200);
    jest
      .spyOn(running, 'runCells')
      .mockImplementation((panel, ids) => machine.run(panel, ids));
  });

  it('should halve until the cells pass, and show what was measured', async () => {
    const fitter = machine.fitter();
    await fitter.run();
    expect(machine.ran).toEqual([
      ['batch_size = 512', 'cell-2', 'cell-7'],
      ['batch_size = 256', 'cell-2', 'cell-7'],
      ['batch_size = 128', 'cell-2', 'cell-7']
    ]);
    expect(machine.released).toEqual([
      [SAFE, []],
      [SAFE, []],
      [SAFE, []]
    ]);
    expect(fitter.end?.kind).toBe('fits');
    expect(fitter.text).toMatch(/^batch_size = 128 fits: peak 3.0/);
  });

  it('should undo everything at once', async () => {
    const fitter = machine.fitter();
    await fitter.run();
    expect(fitter.hasChanged).toBe(true);
    expect(await fitter.undo()).toBe(true);
    expect(machine.source).toBe('batch_size = 1024');
    expect(fitter.hasChanged).toBe(false);
  });

  it('should keep later edits', async () => {
    const fitter = machine.fitter();
    await fitter.run();
    const [first] = [...(machine.panel.content.model?.cells ?? [])];
    first?.sharedModel.setSource('batch_size = 3');
    expect(await fitter.undo()).toBe(false);
    expect(machine.source).toBe('batch_size = 3');
    expect(fitter.hasChanged).toBe(true);
  });

  it('should show that the edit is kept if its cell was edited during a try', async () => {
    const fitter = machine.fitter();
    machine.onRun = () => {
      const cell = machine.panel.model?.cells.get(0);
      cell?.sharedModel.setSource('batch_size = 511');
      fitter.cancel();
    };
    await fitter.run();
    expect(machine.source).toBe('batch_size = 511');
    expect(fitter.end).toEqual({
      kind: 'canceled',
      text: 'Canceled. The edit stays: it could not be undone.'
    });
    expect(fitter.made).not.toBeNull();
    expect(fitter.hasChanged).toBe(true);
  });

  it('should end when nothing is left to try', async () => {
    machine = new Machine(0);
    machine.smallest = 256;
    const fitter = machine.fitter();
    await fitter.run();
    expect(fitter.end).toEqual({
      kind: 'stopped',
      text: 'batch_size = 256 does not fit. No other size is left to try.'
    });
    expect(machine.ran).toHaveLength(2);
  });

  it('should not continue after another error', async () => {
    machine.isSilent = true;
    jest.useFakeTimers({ doNotFake: ['queueMicrotask'] });
    const fitter = machine.fitter();
    const end = fitter.run();
    await jest.advanceTimersByTimeAsync(60_000);
    await end;
    jest.useRealTimers();
    expect(fitter.end).toEqual({
      kind: 'stopped',
      text: 'Stopped: the cell failed with a different error at batch_size = 512.'
    });
    expect(machine.ran).toHaveLength(1);
  });

  it('should stop after the running try, and undo it', async () => {
    const fitter = machine.fitter();
    machine.onRun = () => {
      if (machine.batch === 256) {
        fitter.cancel();
      }
    };
    await fitter.run();
    expect(fitter.end).toEqual(TRY_TAKEN_BACK);
    expect(machine.source).toBe('batch_size = 512');
    expect(await fitter.undo()).toBe(true);
    expect(machine.source).toBe('batch_size = 1024');
  });

  it('should continue if a script failed and its cell did not', async () => {
    machine.isScript = true;
    const fitter = machine.fitter();
    await fitter.run();
    expect(fitter.end?.kind).toBe('fits');
    expect(machine.source).toBe('batch_size = 128');
  });

  it('should keep a passed edit although it was canceled', async () => {
    const fitter = machine.fitter();
    machine.onRun = () => {
      if (machine.batch === 128) {
        fitter.cancel();
      }
    };
    await fitter.run();
    expect(fitter.end?.kind).toBe('fits');
    expect(machine.source).toBe('batch_size = 128');
  });

  it('should ask once for consent to what running again repeats', async () => {
    machine.caution = message('fix.caution', { calls: 'torch.save' });
    await machine.fitter().run();
    expect(machine.questions).toEqual([
      { cautions: ['English of fix.caution'], items: [], saves: false }
    ]);
  });

  it('should change nothing without consent', async () => {
    machine.caution = message('fix.caution', { calls: 'torch.save' });
    machine.agrees = false;
    const fitter = machine.fitter();
    await fitter.run();
    expect(fitter.end).toEqual(NOTHING_CHANGED);
    expect(fitter.hasChanged).toBe(false);
    expect(machine.released).toEqual([]);
    expect(machine.source).toBe('batch_size = 1024');
  });

  it('should show why an edit could not be made', async () => {
    machine.memory.answers.fix = () => {
      throw new Error('The kernel is gone.');
    };
    const fitter = machine.fitter();
    await fitter.run();
    expect(fitter.end).toEqual({
      kind: 'refused',
      text: 'The kernel is gone.'
    });
  });

  describe('with a trained model', () => {
    const [first] = TRAINED.items;
    const ids = TRAINED.items.map(({ id }) => id);
    const cells = () => [...(machine.panel.content.model?.cells ?? [])];

    beforeEach(() => {
      machine.cost = TRAINED;
    });

    it('should ask before it edits, and free right before it runs', async () => {
      const sources: string[] = [];
      machine.onMoment = () => sources.push(machine.source);
      await machine.fitter(true).run();
      expect(machine.moments).toEqual([
        'asking',
        'agreeing',
        'freeing',
        'running'
      ]);
      expect(sources).toEqual([
        'batch_size = 1024',
        'batch_size = 1024',
        'batch_size = 512',
        'batch_size = 512'
      ]);
      expect(machine.questions).toEqual([
        {
          ...TRAINED,
          cautions: [
            'What `model` learned in training is lost: In [7] starts again.'
          ]
        }
      ]);
      expect(machine.released).toEqual([[[...SAFE, ...ids], ids]]);
    });

    it('should request the cost of the cells as they will be', async () => {
      await machine.fitter(true).run();
      expect(machine.seen).toEqual([
        {
          run: ['cell-2', 'cell-7'],
          sources: {
            'cell-2': 'batch_size = 512',
            'cell-7': 'train(batch_size)'
          }
        }
      ]);
    });

    it('should apply one consent to the same names in later tries', async () => {
      await machine.fitter().run();
      expect(machine.questions).toHaveLength(1);
      expect(machine.released).toHaveLength(3);
      expect(machine.released[2]?.[1]).toEqual(ids);
    });

    it.each<[string, object]>([
      ['another name', { items: [{ ...first, names: ['model', 'best'] }] }],
      ['another cell', { items: [{ ...first, id: 'rerun:2:cell-2' }] }],
      ['another sentence', { cautions: [message('fix.caution')] }]
    ])('should ask again about %s', async (name, change) => {
      machine.onRun = () => {
        machine.cost = { ...TRAINED, ...change };
        machine.agrees = false;
      };
      const fitter = machine.fitter();
      await fitter.run();
      expect(machine.questions).toHaveLength(2);
      expect(machine.questions[1]).toEqual({
        items: [],
        cautions: [],
        saves: true,
        ...change,
        ...(name.endsWith('sentence') && {
          cautions: ['English of fix.caution']
        })
      });
      expect(machine.released).toHaveLength(1);
      expect(fitter.end).toEqual(TRY_TAKEN_BACK);
      expect(machine.source).toBe('batch_size = 1024');
    });

    it.each([true, false])(
      'should free nothing when it is canceled before the run (once: %s)',
      async once => {
        for (const moment of ['asking', 'agreeing']) {
          machine = new Machine(200);
          machine.cost = TRAINED;
          const fitter = machine.fitter(once);
          machine.onMoment = now => {
            if (now === moment) {
              fitter.cancel();
            }
          };
          await fitter.run();
          expect(fitter.end).toEqual(NOTHING_CHANGED);
          expect(machine.released).toEqual([]);
          expect(machine.ran).toEqual([]);
          expect(machine.source).toBe('batch_size = 1024');
        }
      }
    );

    it('should cancel the request that waits for a cell', async () => {
      machine.isBusy = true;
      const fitter = machine.fitter();
      const end = fitter.run();
      await settle();
      expect(fitter.isWaiting).toBe(true);
      fitter.cancel();
      await end;
      expect(machine.cancelled).toEqual(['1']);
      expect(fitter.end).toEqual(NOTHING_CHANGED);
      expect(machine.released).toEqual([]);
      expect(machine.source).toBe('batch_size = 1024');
    });

    it('should cancel the release that waits, and undo the edit', async () => {
      const fitter = machine.fitter();
      machine.onMoment = now => {
        machine.isBusy = now === 'freeing';
      };
      const end = fitter.run();
      await settle();
      await settle();
      expect(machine.source).toBe('batch_size = 512');
      expect(fitter.isWaiting).toBe(true);
      fitter.cancel();
      await end;
      expect(machine.cancelled).toEqual(['release-1']);
      expect(fitter.end).toEqual(NOTHING_CHANGED);
      expect(machine.ran).toEqual([]);
      expect(machine.source).toBe('batch_size = 1024');
    });

    const MEANWHILE: [string, () => void, string][] = [
      [
        'a cell that is edited',
        () => cells()[1]?.sharedModel.setSource('train(3)'),
        'A cell that would run was edited or deleted meanwhile.'
      ],
      [
        'a cell that is deleted',
        () => machine.panel.model?.sharedModel.deleteCell(1),
        'A cell that would run was edited or deleted meanwhile.'
      ],
      [
        'a kernel that is restarted',
        () => {
          machine.memory.restart();
        },
        'The kernel was restarted meanwhile, or does not answer.'
      ],
      [
        'a notebook that is closed',
        () => {
          Object.assign(machine.panel, { isDisposed: true });
        },
        'The notebook was closed.'
      ]
    ];

    it.each(MEANWHILE)(
      'should free nothing and change nothing after %s during the dialog',
      async (_, change, text) => {
        machine.onMoment = moment => {
          if (moment === 'agreeing') {
            change();
          }
        };
        const fitter = machine.fitter();
        await fitter.run();
        expect(fitter.end).toMatchObject({ kind: 'refused', text });
        expect(machine.released).toEqual([]);
        expect(machine.ran).toEqual([]);
        expect(fitter.hasChanged).toBe(false);
      }
    );

    it.each(MEANWHILE.slice(0, 2))(
      'should cancel the release that waits after %s',
      async (_, change, text) => {
        const fitter = machine.fitter();
        machine.onMoment = now => {
          machine.isBusy = now === 'freeing';
        };
        const end = fitter.run();
        await settle();
        await settle();
        change();
        await end;
        expect(machine.cancelled).toEqual(['release-1']);
        expect(fitter.end).toMatchObject({ kind: 'refused', text });
        expect(machine.ran).toEqual([]);
        expect(machine.source).toBe('batch_size = 1024');
      }
    );

    it('should not run after a kernel that is restarted while it frees', async () => {
      const fitter = machine.fitter();
      machine.onMoment = now => {
        machine.isBusy = now === 'freeing';
      };
      const end = fitter.run();
      await settle();
      await settle();
      machine.memory.restart();
      await end;
      expect(fitter.end?.kind).toBe('refused');
      expect(machine.ran).toEqual([]);
      expect(machine.source).toBe('batch_size = 1024');
    });

    it('should run cells in their order although one is moved', async () => {
      machine.onMoment = moment => {
        if (moment === 'agreeing') {
          machine.panel.model?.sharedModel.moveCell(0, 1);
        }
      };
      const fitter = machine.fitter(true);
      await fitter.run();
      expect(machine.ran.map(([, ...run]) => run)).toEqual([
        ['cell-2', 'cell-7']
      ]);
    });

    it('should free no names if the cost is unknown, and show that', async () => {
      delete machine.memory.answers.rerun;
      const fitter = machine.fitter(true);
      await fitter.run();
      expect(machine.questions).toEqual([
        {
          cautions: [
            'The cost of running it again is not fully known: The helper does not answer.'
          ],
          items: [],
          saves: false
        }
      ]);
      expect(machine.released).toEqual([[SAFE, []]]);
    });

    it('should end with the reason where the release fails, the code as it was', async () => {
      machine.memory.answers.release = () => {
        machine.endRelease({
          ...RELEASED,
          status: 'failed',
          message: message('released.nothing')
        });
        return answer({ release_id: 'release-1', status: 'queued' });
      };
      const fitter = machine.fitter();
      await fitter.run();
      expect(fitter.end).toMatchObject({
        kind: 'refused',
        text: 'Could not free GPU memory: Nothing was freed.'
      });
      expect(machine.ran).toEqual([]);
      expect(machine.source).toBe('batch_size = 1024');
    });
  });

  it('should not start in a kernel with another in progress', async () => {
    const other = machine.fitter();
    const fitter = machine.fitter();
    const end = fitter.run();
    expect(other.isBusy).toBe(true);
    await end;
    expect(other.isBusy).toBe(false);
  });
});
