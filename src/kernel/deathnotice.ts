import { Notification } from '@jupyterlab/apputils';

import { explainDeath } from '../memory/death';
import type { IDeath } from '../memory/state';
import type { ITranslate } from '../text/translate';

/**
 * What notifies of the deaths of one kernel: where the next life knows the cause, the
 * notification changes, or comes again where it was dismissed.
 */
export function deathNotice(trans: ITranslate): (death: IDeath) => void {
  let id = '';
  return death => {
    const message = explainDeath(death, trans);
    if (!death.isKilled || !Notification.update({ id, message })) {
      id = Notification.warning(message, { autoClose: false });
    }
  };
}
