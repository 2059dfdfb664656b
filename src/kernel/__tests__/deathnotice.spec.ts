import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';

import { DEVICE, SAMPLE } from '../../__tests__/samples';
import { deathNotice } from '../deathnotice';

describe('the notice of a death', () => {
  const death = {
    device: DEVICE,
    host: SAMPLE.host,
    age_ms: 2000,
    isKilled: false
  };

  const said = (): string[] =>
    Notification.manager.notifications.map(({ message }) => message);

  beforeEach(() => {
    Notification.manager.dismiss();
  });

  it('should change if the restarted kernel reports the cause', () => {
    const notify = deathNotice(nullTranslator.load('gpu-headroom'));
    notify(death);
    expect(said()).toEqual([expect.stringMatching(/^The kernel died\. /)]);
    notify({ ...death, isKilled: true });
    expect(said()).toEqual([
      expect.stringContaining('ended because host memory ran out.')
    ]);
    notify(death);
    expect(said()).toHaveLength(2);
  });

  it('should be shown again if it was dismissed', () => {
    const notify = deathNotice(nullTranslator.load('gpu-headroom'));
    notify(death);
    Notification.manager.dismiss();
    notify({ ...death, isKilled: true });
    expect(said()).toHaveLength(1);
  });
});
