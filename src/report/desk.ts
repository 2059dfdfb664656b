import type { NotebookPanel } from '@jupyterlab/notebook';
import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';

import type { Files } from '../editing/files';
import type { IReport, IStub } from '../protocol';
import { perKernel } from '../kernel/perkernel';
import type { ReleaseSession } from '../release/session';
import type { ReleaseSessions } from '../release/sessions';
import type { IKernelMemory } from '../tokens';
import { Fixing } from './fixing';
import { ReportModel } from './model';

/** Finds the desk of a report that a kernel may have made. */
export type DeskOf = (
  memory: IKernelMemory,
  stub: Pick<IStub, 'life_id' | 'report_id'>
) => Desk;

/**
 * What the buttons of a report work with, the same on all its cards.
 *
 * Only ids leave this page, and edits come from the helper.
 */
export class Desk {
  constructor(
    readonly model: ReportModel,
    readonly session: ReleaseSession,
    readonly files: Files,
    readonly translator: ITranslator
  ) {
    this.trans = translator.load('gpu-headroom');
    this.fixing = new Fixing(model, files, this.trans);
  }

  readonly trans: TranslationBundle;

  readonly fixing: Fixing;

  /**
   * Find out, once for each time that the helper vouches for the report, what
   * the buttons have to say. Never rejects.
   */
  async prepare(panel: NotebookPanel): Promise<void> {
    const { report } = this.model;
    if (report !== null && report !== this._prepared) {
      this._prepared = report;
      await this.fixing.lookAhead(panel);
    }
  }

  private _prepared: IReport | null = null;
}

/** One desk for all cards of a report, which outlives them; it goes with its kernel. */
export function desksOf(
  sessions: ReleaseSessions,
  files: Files,
  translator: ITranslator
): DeskOf {
  const trans = translator.load('gpu-headroom');
  const known = perKernel(() => new Map<string, Desk>());
  return (memory, { life_id, report_id }) => {
    const desks = known(memory);
    const key = `${life_id} ${report_id}`;
    const make = (): Desk => {
      const session = sessions.get(memory);
      const model = new ReportModel(session, { life_id, report_id }, trans);
      return new Desk(model, session, files, translator);
    };
    const desk = desks.get(key) ?? make();
    desks.set(key, desk);
    return desk;
  };
}
