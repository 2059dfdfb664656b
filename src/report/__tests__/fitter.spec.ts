import { nullTranslator } from '@jupyterlab/translation';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { FakeMemory } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import {
  gib,
  message,
  RELEASED,
  REPORT,
  SMALLER_BATCH
} from '../../__tests__/report';
import { CELL } from '../../__tests__/samples';
import * as running from '../../actions/run';
import type { IMessage, IOom, IReport } from '../../protocol';
import { FakeServices } from '../../release/__tests__/services';
import { Fitter } from '../fitter';

const FIX = SMALLER_BATCH.id;

const answer = <T>(value: T): Promise<T> => Promise.resolve(value);

/** A kernel in which a batch of so many fits, played by the test. */
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
      release: () => {
        this.releases++;
        setTimeout(() => {
          this.memory.send(RELEASED);
        });
        return answer({ release_id: 'release-1', status: 'queued' });
      }
    });
    this.panel = makePanel([
      { id: 'cell-2', source: 'batch_size = 1024' },
      { id: 'cell-7', source: 'train(batch_size)' }
    ]);
  }

  /** What runs do: a batch that is too large fails, and is explained. */
  run = (_: unknown, ids: readonly string[]): Promise<boolean> => {
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
        life_id: REPORT.life_id,
        report_id: `report-of-${this.batch}`,
        time_s: 0,
        cell_id: 'cell-7',
        device_index: 0,
        requested_bytes: null,
        available_bytes: null
      };
      this.memory.send(oom);
    }
    return answer(false);
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

  fitter(): Fitter {
    return new Fitter({
      session: new FakeServices().sessions.get(this.memory),
      panel: this.panel,
      report: this.report('report-1'),
      remedyId: FIX,
      translator: nullTranslator,
      agree: caution => {
        this.questions.push(caution);
        return answer(this.agrees);
      }
    });
  }

  get source(): string {
    const [first] = [...(this.panel.content.model?.cells ?? [])];
    return first?.sharedModel.getSource() ?? '';
  }

  get batch(): number {
    return Number(this.source.split(' = ')[1]);
  }

  readonly memory: FakeMemory;
  readonly panel: NotebookPanel;
  readonly asked: number[] = [];
  readonly ran: string[][] = [];
  readonly questions: IMessage[] = [];
  releases = 0;
  smallest = 1;
  caution: IMessage | null = null;
  agrees = true;
  isSilent = false;
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

  it('should halve until the cells pass, and say what was measured', async () => {
    const fitter = machine.fitter();
    await fitter.run();
    expect(machine.ran).toEqual([
      ['batch_size = 512', 'cell-2', 'cell-7'],
      ['batch_size = 256', 'cell-2', 'cell-7'],
      ['batch_size = 128', 'cell-2', 'cell-7']
    ]);
    expect(machine.releases).toBe(3);
    expect(fitter.fit).toMatchObject({
      tries: 3,
      setting: 'batch_size = 128',
      end: { kind: 'fits', peak: { peak_bytes: gib(3) } }
    });
  });

  it('should take everything back at once', async () => {
    const fitter = machine.fitter();
    await fitter.run();
    expect(fitter.hasChanged).toBe(true);
    expect(fitter.undo()).toBe(true);
    expect(machine.source).toBe('batch_size = 1024');
    expect(fitter.hasChanged).toBe(false);
  });

  it('should leave what was edited since as it is', async () => {
    const fitter = machine.fitter();
    await fitter.run();
    const [first] = [...(machine.panel.content.model?.cells ?? [])];
    first?.sharedModel.setSource('batch_size = 3');
    expect(fitter.undo()).toBe(false);
    expect(machine.source).toBe('batch_size = 3');
  });

  it('should end where nothing is left to try', async () => {
    machine = new Machine(0);
    machine.smallest = 256;
    const fitter = machine.fitter();
    await fitter.run();
    expect(fitter.fit.end).toEqual({ kind: 'nothing-left' });
    expect(machine.ran).toHaveLength(2);
  });

  it('should not go on after another error', async () => {
    machine.isSilent = true;
    jest.useFakeTimers({ doNotFake: ['queueMicrotask'] });
    const fitter = machine.fitter();
    const end = fitter.run();
    await jest.advanceTimersByTimeAsync(60_000);
    await end;
    jest.useRealTimers();
    expect(fitter.fit.end).toEqual({ kind: 'other-error' });
    expect(machine.ran).toHaveLength(1);
  });

  it('should stop after the running try, and take that one back', async () => {
    const fitter = machine.fitter();
    machine.onRun = () => {
      if (machine.batch === 256) {
        fitter.cancel();
      }
    };
    await fitter.run();
    expect(fitter.fit.end).toEqual({ kind: 'cancelled' });
    expect(machine.source).toBe('batch_size = 512');
    expect(fitter.undo()).toBe(true);
    expect(machine.source).toBe('batch_size = 1024');
  });

  it('should keep what passed although it was cancelled', async () => {
    const fitter = machine.fitter();
    machine.onRun = () => {
      if (machine.batch === 128) {
        fitter.cancel();
      }
    };
    await fitter.run();
    expect(fitter.fit.end?.kind).toBe('fits');
    expect(machine.source).toBe('batch_size = 128');
  });

  it('should ask once about what running again repeats', async () => {
    machine.caution = message('fix.caution', { calls: 'torch.save' });
    await machine.fitter().run();
    expect(machine.questions).toEqual([machine.caution]);
  });

  it('should change nothing where the person does not agree', async () => {
    machine.caution = message('fix.caution', { calls: 'torch.save' });
    machine.agrees = false;
    const fitter = machine.fitter();
    await fitter.run();
    expect(fitter.fit.end).toEqual({ kind: 'cancelled' });
    expect(fitter.hasChanged).toBe(false);
    expect(machine.releases).toBe(0);
    expect(machine.source).toBe('batch_size = 1024');
  });

  it('should say why an edit could not be made', async () => {
    machine.memory.answers.fix = () => {
      throw new Error('The kernel is gone.');
    };
    const fitter = machine.fitter();
    await fitter.run();
    expect(fitter.fit.end).toEqual({
      kind: 'refused',
      text: 'The kernel is gone.'
    });
  });
});
