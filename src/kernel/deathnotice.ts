import { Notification } from '@jupyterlab/apputils';

import { explainDeath } from '../memory/death';
import type { IDeath } from '../memory/state';
import type { ITranslate } from '../text/translate';

/**
 * Return a callback that notifies the user of the deaths of one kernel. If the
 * restarted kernel reports the cause, the notification is updated, or shown again if it
 * was dismissed.
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
