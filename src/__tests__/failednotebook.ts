import { nullTranslator } from '@jupyterlab/translation';
import type { NotebookPanel } from '@jupyterlab/notebook';

import * as running from '../lab/run';
import type { IReport, IRerun } from '../protocol';
import { Registry } from '../registry';
import { FakeServices } from '../release/__tests__/services';
import { Desk } from '../renderer/desk';
import { ReportModel } from '../renderer/model';
import type { IReportOffer } from '../renderer/offer';
import { Offers } from '../renderer/offers';
import type { RemedyState } from '../report/state';
import { FakeMemory, settle } from './memory';
import { makePanel, silenceYjs } from './notebook';
import { message, RELEASED, REPORT, WORDS } from './report';
import { EVENTS } from './samples';

export const SOURCE = 'batch_size = 1024\ntrain()';
export const FIXED = 'batch_size = 512\ntrain()';

export const EDIT = {
  cell_id: 'cell-7',
  first_line: 1,
  old_lines: ['batch_size = 1024'],
  new_lines: ['batch_size = 512']
};

export const answer = <T>(reply: T): Promise<T> => Promise.resolve(reply);

/** Reply of a helper that has found an edit, with the cells to run after it. */
export const fixWith = (run: string[]) => ({
  status: 'ok' as const,
  edits: [EDIT],
  run,
  message: message('fix.ok'),
  caution: null
});

/** A notebook in which a cell failed, with its kernel, its report and button presses. */
export class FailedNotebook {
  /** Prepare a test; `running` is to be a mock whose functions can be spied on. */
  static async open(
    wings: readonly IReportOffer[] = []
  ): Promise<FailedNotebook> {
    silenceYjs();
    const notebook = new FailedNotebook(wings);
    await notebook.confirm(REPORT);
    return notebook;
  }

  private constructor(wings: readonly IReportOffer[]) {
    this._offers.add(() => answer(wings));
    void this._offers.load();
  }

  readonly run = jest.spyOn(running, 'runCells').mockResolvedValue(true);

  /** Cost of running cells again. */
  cost: Pick<IRerun, 'items' | 'cautions' | 'saves'> = {
    items: [],
    cautions: [],
    saves: false
  };

  readonly memory = new FakeMemory({
    fix: () => answer(fixWith(['cell-7'])),
    rerun: () => {
      setTimeout(() => {
        this.memory.send({ ...EVENTS.rerun, request_id: '1', ...this.cost });
      });
      return answer({ status: 'queued' });
    },
    release: () => {
      // The result arrives when the helper is done, after its reply.
      setTimeout(() => {
        this.memory.send(RELEASED);
      });
      return answer({ release_id: 'release-1', status: 'queued' });
    }
  });

  panel: NotebookPanel = this.panelWith();

  /** The cell that contains the report. */
  cellId = 'cell-7';

  desk!: Desk;

  /** Let the helper confirm a report. */
  async confirm(report: IReport): Promise<void> {
    this.memory.answers.report = () =>
      answer({ status: 'known', report, released: null });
    const releases = new FakeServices().sessions.get(this.memory);
    const trans = nullTranslator.load('gpu-headroom');
    this.desk = new Desk(
      new ReportModel(releases, REPORT, trans),
      releases,
      nullTranslator
    );
    await settle();
    this.memory.requests.length = 0;
  }

  panelWith(metadata = {}): NotebookPanel {
    return makePanel([
      { id: 'cell-2', source: 'import torch', count: 2 },
      { id: 'cell-7', source: SOURCE, count: 7, metadata }
    ]);
  }

  /** Press a button of the report. */
  async act(id: string, remedyId: string | null): Promise<void> {
    const { cellId, desk, panel } = this;
    await this._buttons.press(id, remedyId, {
      report: desk.model.report ?? REPORT,
      words: WORDS,
      desk,
      site: { cellId, panel },
      restart: () => answer(undefined)
    });
  }

  /** Let the buttons request the data that their labels need. */
  prepare(): Promise<void> {
    return this._buttons.prepare(this.desk, this.panel);
  }

  get sources(): string[] {
    const cells = [...(this.panel.content.model?.cells ?? [])];
    return cells.map(cell => cell.sharedModel.getSource());
  }

  get source(): string | undefined {
    return this.sources[1];
  }

  /** The kinds of the requests so far. */
  get asked(): string[] {
    return this.memory.requests.map(([type]) => type);
  }

  stateOf(id: string): RemedyState | undefined {
    return this.desk.model.remedies[id];
  }

  dispose(): void {
    this.desk.model.dispose();
    jest.restoreAllMocks();
  }

  private readonly _offers = new Registry<readonly IReportOffer[]>();

  private readonly _buttons = new Offers(this._offers);
}
