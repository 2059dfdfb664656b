import type { ITranslator } from '@jupyterlab/translation';

import type { Files } from '../editing/files';
import type { IStub } from '../protocol';
import type { ReleaseSessions } from '../release/sessions';
import type { IKernelMemory } from '../tokens';
import { ReportController } from './controller';
import { ReportModel } from './model';
import type { Offers } from './offers';

/**
 * The reports of the page's kernels: one controller for all cards of a report,
 * which outlives the cards. A kernel takes its reports with it.
 */
export class Reports {
  constructor(
    private readonly _sessions: ReleaseSessions,
    private readonly _files: Files,
    private readonly _translator: ITranslator,
    private readonly _offers: Offers
  ) {}

  get(
    memory: IKernelMemory,
    stub: Pick<IStub, 'life_id' | 'report_id'>
  ): ReportController {
    const ofKernel =
      this._controllers.get(memory) ?? new Map<string, ReportController>();
    this._controllers.set(memory, ofKernel);
    const key = `${stub.life_id} ${stub.report_id}`;
    const controller = ofKernel.get(key) ?? this._create(memory, stub);
    ofKernel.set(key, controller);
    return controller;
  }

  private _create(
    memory: IKernelMemory,
    stub: Pick<IStub, 'life_id' | 'report_id'>
  ): ReportController {
    const releases = this._sessions.get(memory);
    const trans = this._translator.load('gpu-headroom');
    return new ReportController(
      new ReportModel(releases, stub, trans),
      releases,
      this._files,
      this._translator,
      this._offers
    );
  }

  private readonly _controllers = new WeakMap<
    IKernelMemory,
    Map<string, ReportController>
  >();
}
