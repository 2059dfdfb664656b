/**
 * Why there are no numbers of a kernel: a pure function of what is known.
 */
import type { ITranslate } from '../text/translate';
import { explainDeath } from './death';
import type { Reading } from './reading';
import { explainGap } from './readingwords';
import type { IMemoryState } from './state';

/** What a popup, or a panel, says where it has no numbers to show. */
export interface IGap {
  readonly kind:
    | 'absent'
    | 'connecting'
    | 'disconnected'
    | 'off'
    | 'problem'
    | 'stopped'
    | 'none'
    | 'idle';
  readonly title: string;
  /** Sentences, in the markup of the catalogue. */
  readonly text: string;
  /** What the button is called that starts the helper; `null`: none would work. */
  readonly start: string | null;
}

/**
 * Why there are no numbers; `null` where there are.
 *
 * @param state - `null`: there is no kernel
 */
export function gapOf(
  reading: Reading,
  state: IMemoryState | null,
  trans: ITranslate
): IGap | null {
  switch (reading.kind) {
    case 'hidden':
      return unseen(state, trans);
    case 'disconnected':
      return {
        kind: 'disconnected',
        title: trans.__('Not connected'),
        text: reading.death
          ? trans.__(
              '%1 Its GPU memory is free.',
              explainDeath(reading.death, trans)
            )
          : trans.__(
              'The kernel does not answer, so nothing is measured. If it died, its GPU memory is already free.'
            ),
        start: null
      };
    case 'off':
      return off(trans.__('Start'), trans);
    case 'problem':
      return {
        kind: 'problem',
        title: trans.__('Not measured'),
        text: reading.problem,
        start: state?.phase === 'failed' ? trans.__('Try again') : null
      };
    case 'stopped':
      return {
        kind: 'stopped',
        title: trans.__('CUDA has stopped'),
        text: explainGap(reading, trans),
        start: null
      };
    case 'none':
      return none(reading, state, trans);
    case 'idle':
      return {
        kind: 'idle',
        title: trans.__('Nothing on the GPU yet'),
        text: `${explainGap(reading, trans)} ${trans.__('The numbers appear with the first tensor on the GPU.')}`,
        start: null
      };
    default:
      return null;
  }
}

/** Of a kernel that the gauge does not show. */
function unseen(state: IMemoryState | null, trans: ITranslate): IGap {
  switch (state?.phase) {
    case undefined:
    case 'absent':
      return {
        kind: 'absent',
        title: trans.__('Nothing to measure'),
        text: trans.__('Open a notebook or a console with a Python kernel.'),
        start: null
      };
    case 'off':
      return off(null, trans);
    default:
      return {
        kind: 'connecting',
        title: trans.__('Connecting'),
        text: trans.__('The numbers come with the first answer of the kernel.'),
        start: null
      };
  }
}

function off(start: string | null, trans: ITranslate): IGap {
  const text = trans.__('GPU Headroom is not running in this kernel.');
  const cost = trans.__('Starting it takes a moment and changes no variable.');
  return {
    kind: 'off',
    title: trans.__('Off'),
    text: start === null ? text : `${text} ${cost}`,
    start
  };
}

function none(
  reading: Reading,
  state: IMemoryState | null,
  trans: ITranslate
): IGap {
  const why = explainGap(reading, trans);
  const hint = trans.__(
    'To try GPU Headroom without one, run `gpu_headroom.simulate()`.'
  );
  return {
    kind: 'none',
    title: trans.__('No GPU'),
    text: state?.hello?.installed ? `${why} ${hint}` : why,
    start: null
  };
}
