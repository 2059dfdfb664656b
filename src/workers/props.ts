import type { TranslationBundle } from '@jupyterlab/translation';

import type { Workers } from './workers';

/** What the parts of the section are drawn from. */
export interface IWorkersProps {
  readonly workers: Workers;
  readonly trans: TranslationBundle;
}
