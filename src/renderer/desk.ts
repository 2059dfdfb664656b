import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';

import { perKernel } from '../kernel/perkernel';
import type { IReport, IStub } from '../protocol';
import type { ReleaseSession } from '../release/session';
import type { ReleaseSessions } from '../release/sessions';
import type { IKernelMemory } from '../tokens';
import { ReportModel } from './model';

/** Finds the desk of a report that a kernel may have made. */
export type DeskOf = (
  memory: IKernelMemory,
  stub: Pick<IStub, 'helper_id' | 'report_id'>
) => Desk;

/**
 * Model and services for the buttons of a report, shared by all outputs that show it.
 *
 * Requests contain only ids, and edits come from the helper.
 */
export class Desk {
  constructor(
    readonly model: ReportModel,
    readonly session: ReleaseSession,
    readonly translator: ITranslator
  ) {
    this.trans = translator.load('gpu-headroom');
  }

  readonly trans: TranslationBundle;

  /** The report for which its buttons were prepared. */
  prepared: IReport | null = null;
}

/**
 * One desk per report, shared by all outputs that show it and disposed with its kernel.
 */
export function desksOf(
  sessions: ReleaseSessions,
  translator: ITranslator
): DeskOf {
  const trans = translator.load('gpu-headroom');
  const byKernel = perKernel(() => new Map<string, Desk>());
  return (memory, { helper_id, report_id }) => {
    const desks = byKernel(memory);
    const key = `${helper_id} ${report_id}`;
    const make = (): Desk => {
      const session = sessions.get(memory);
      const model = new ReportModel(session, { helper_id, report_id }, trans);
      return new Desk(model, session, translator);
    };
    const desk = desks.get(key) ?? make();
    desks.set(key, desk);
    return desk;
  };
}
