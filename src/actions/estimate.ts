import type { TranslationBundle } from '@jupyterlab/translation';

import { isBusy } from '../kernel/model';
import { reasonToMeasure } from '../kernel/occasion';
import { words } from '../messages';
import type { IKernelMemory } from '../tokens';
import { makePlan } from './plan';

/** What was said of a kernel, and of which moment. */
interface ISaid {
  readonly reason: string;
  /** Empty while it is measured, and where it could not be. */
  readonly sentence: string;
}

/**
 * What a release of the safe set would give back, measured when somebody asks:
 * at most once between two cells.
 */
export class Estimate {
  /** @param onChanged - called when there is a new sentence */
  constructor(
    private readonly _trans: TranslationBundle,
    private readonly _onChanged: () => void
  ) {}

  /** What is known of a kernel as it is now; empty: nothing. */
  sentence(memory: IKernelMemory): string {
    const said = this._said.get(memory);
    return said?.reason === reasonToMeasure(memory.state) ? said.sentence : '';
  }

  /** Measure, unless it is known or a cell runs. Never rejects. */
  async ask(memory: IKernelMemory): Promise<void> {
    const { state } = memory;
    const reason = reasonToMeasure(state);
    const isKnown = this._said.get(memory)?.reason === reason;
    if (state.sample?.state !== 'live' || isBusy(state) || isKnown) {
      return;
    }
    this._said.set(memory, { reason, sentence: '' });
    const sentence = await this._measure(memory).catch(() => '');
    this._said.set(memory, { reason, sentence });
    this._onChanged();
  }

  private async _measure(memory: IKernelMemory): Promise<string> {
    const { message } = await makePlan(memory, false);
    return words(this._trans).sentence(message);
  }

  private readonly _said = new WeakMap<IKernelMemory, ISaid>();
}
