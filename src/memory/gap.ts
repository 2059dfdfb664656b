/** Why there are no numbers of a kernel: a pure function of the state. */
import type { ITranslate } from '../text/translate';
import { explainDeath } from './death';
import type { Reading } from './reading';
import { explainGap } from './readingwords';
import type { IMemoryState } from './state';

/** Text of a popup or panel that has no numbers to show. */
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
  /** Sentences, in the markup of the catalog. */
  readonly text: string;
  /** Label of the button that starts the helper; `null`: starting would not work. */
  readonly start: string | null;
}

/**
 * Why there are no numbers; `null` if there are some.
 *
 * @param state - `null`: there is no kernel
 */
export function gapOf(
  reading: Reading,
  state: IMemoryState | null,
  trans: ITranslate
): IGap | null {
  const { kind } = reading;
  switch (kind) {
    case 'hidden':
      return unseen(state, trans);
    case 'disconnected': {
      const { death } = reading;
      const text = death
        ? trans.__('%1 Its GPU memory is free.', explainDeath(death, trans))
        : trans.__(
            'The kernel does not answer, so nothing is measured. If it died, its GPU memory is already free.'
          );
      return { kind, title: trans.__('Not connected'), text, start: null };
    }
    case 'off':
      return off(trans.__('Start'), trans);
    case 'problem': {
      const start = state?.phase === 'failed' ? trans.__('Try again') : null;
      const title = trans.__('Not measured');
      return { kind, title, text: reading.problem, start };
    }
    case 'stopped': {
      const text = explainGap(reading, trans);
      return { kind, title: trans.__('CUDA has stopped'), text, start: null };
    }
    case 'none': {
      const why = explainGap(reading, trans);
      const hint = trans.__(
        'To try GPU Headroom without one, run `gpu_headroom.simulate()`.'
      );
      const text = state?.hello?.installed ? `${why} ${hint}` : why;
      return { kind, title: trans.__('No GPU'), text, start: null };
    }
    case 'idle': {
      const title = trans.__('Nothing on the GPU yet');
      const next = trans.__(
        'The numbers appear with the first tensor on the GPU.'
      );
      const text = `${explainGap(reading, trans)} ${next}`;
      return { kind, title, text, start: null };
    }
    default:
      return null;
  }
}

/** The gap of a kernel that the gauge does not show. */
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
