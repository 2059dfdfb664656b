import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { RemedyState } from '../card/state';
import * as running from '../editing/run';
import type { IEdit, IReport, IRerun } from '../protocol';
import { Registry } from '../registry';
import { FakeServices } from '../release/__tests__/services';
import { Desk } from '../report/desk';
import { ReportModel } from '../report/model';
import type { IReportOffer } from '../report/offer';
import { Offers } from '../report/offers';
import { FakeFiles } from './files';
import { FakeMemory, settle } from './memory';
import { makePanel, silenceYjs } from './notebook';
import { IN_FILE, message, RELEASED, REPORT, WORDS } from './report';
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

/** The answer of a helper that has found an edit, with the cells to run after it. */
export const fixWith = (run: string[]) => ({
  status: 'ok' as const,
  edits: [EDIT],
  run,
  message: message('fix.ok'),
  caution: null
});

/** A script beside a failed notebook that sets the batch, and the edit of it that a helper finds. */
export class FailedScript {
  static readonly path = 'work/main.py';
  static readonly before = 'batch_size = 1024\n';
  static readonly after = 'batch_size = 512\n';

  /** Have the helper vouch for a report whose edit is of the script. */
  static async beside(notebook: FailedNotebook): Promise<FailedScript> {
    const { after, before, path } = FailedScript;
    const script = new FailedScript(notebook);
    notebook.desk.model.dispose();
    await notebook.confirm({ ...REPORT, remedies: [IN_FILE] });
    notebook.server.texts.set(path, before);
    notebook.memory.answers.fix = () =>
      answer(
        script.text?.replace('\r', '') === after
          ? { ...fixWith([]), status: 'changed', edits: [] }
          : { ...fixWith(['cell-7']), edits: [script.edit] }
      );
    return script;
  }

  private constructor(private readonly _notebook: FailedNotebook) {}

  readonly edit: IEdit = {
    cell_id: 'main.py',
    first_line: 1,
    old_lines: FailedScript.before.split('\n'),
    new_lines: FailedScript.after.split('\n')
  };

  get text(): string | undefined {
    return this._notebook.server.texts.get(FailedScript.path);
  }

  /** The status of the remedy, and its sentence. */
  get said(): [string | undefined, string | undefined] {
    const state = this._notebook.stateOf(IN_FILE.id);
    return [state?.status, state && 'text' in state ? state.text : ''];
  }
}

/**
 * Have saving a training take until it is cancelled; before each test.
 *
 * @returns the notifications that are shown, as text
 */
export function saveUntilCancelled({ memory }: FailedNotebook): () => string[] {
  const nothing = {
    path: null,
    bytes: null,
    code: null,
    message: message('rescue.cancelled')
  };
  Notification.manager.dismiss();
  memory.answers.rescue = () => answer({ status: 'queued' });
  memory.answers.cancel = () => {
    setTimeout(() => {
      memory.send({ ...EVENTS.rescue, request_id: '1', ...nothing });
    });
    return answer({ cancelled: true });
  };
  return () => Notification.manager.notifications.map(each => each.message);
}

/** A notebook in which a cell failed: its kernel, its report and what is pressed there. */
export class FailedNotebook {
  /** Prepares a test; `running` is to be a mock whose functions can be spied on. */
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

  readonly server = new FakeFiles();

  readonly run = jest.spyOn(running, 'runCells').mockResolvedValue(true);

  /** What running cells again costs. */
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
      // The result comes when the helper is done, after its answer.
      setTimeout(() => {
        this.memory.send(RELEASED);
      });
      return answer({ release_id: 'release-1', status: 'queued' });
    }
  });

  panel: NotebookPanel = this.panelWith();

  /** The cell that holds the report. */
  cellId = 'cell-7';

  desk!: Desk;

  /** Have the helper vouch for a report. */
  async confirm(report: IReport): Promise<void> {
    this.memory.answers.report = () =>
      answer({ status: 'known', report, released: null });
    const releases = new FakeServices().sessions.get(this.memory);
    const trans = nullTranslator.load('gpu-headroom');
    this.desk = new Desk(
      new ReportModel(releases, REPORT, trans),
      releases,
      this.server.files,
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
