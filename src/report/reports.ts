import type { ITranslator } from '@jupyterlab/translation';

import type { Files } from '../editing/files';
import type { IStub } from '../protocol';
import type { ReleaseSessions } from '../release/sessions';
import type { IKernelMemory } from '../tokens';
import { Desk } from './desk';
import { ReportModel } from './model';

/**
 * The reports of the page's kernels: one desk for all cards of a report,
 * which outlives the cards. A kernel takes its reports with it.
 */
export class Reports {
  constructor(
    private readonly _sessions: ReleaseSessions,
    private readonly _files: Files,
    private readonly _translator: ITranslator
  ) {}

  get(memory: IKernelMemory, stub: Pick<IStub, 'life_id' | 'report_id'>): Desk {
    const ofKernel = this._desks.get(memory) ?? new Map<string, Desk>();
    this._desks.set(memory, ofKernel);
    const key = `${stub.life_id} ${stub.report_id}`;
    const desk = ofKernel.get(key) ?? this._create(memory, stub);
    ofKernel.set(key, desk);
    return desk;
  }

  private _create(
    memory: IKernelMemory,
    stub: Pick<IStub, 'life_id' | 'report_id'>
  ): Desk {
    const releases = this._sessions.get(memory);
    const trans = this._translator.load('gpu-headroom');
    return new Desk(
      new ReportModel(releases, stub, trans),
      releases,
      this._files,
      this._translator
    );
  }

  private readonly _desks = new WeakMap<IKernelMemory, Map<string, Desk>>();
}
