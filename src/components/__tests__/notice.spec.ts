import { Notification } from '@jupyterlab/apputils';

import { Notice } from '../notice';

describe('Notice', () => {
  beforeEach(() => {
    Notification.manager.dismiss();
  });

  const shown = () => Notification.manager.notifications;

  it('should stay on screen when its wait is taken back', () => {
    const cancel = jest.fn();
    const notice = new Notice('Freeing…');
    notice.waiting('Queued.', 'Cancel', cancel);
    const press = new MouseEvent('click', { cancelable: true });
    shown()[0]?.options.actions?.[0]?.callback(press);
    expect(cancel).toHaveBeenCalledTimes(1);
    expect(press.defaultPrevented).toBe(true);
  });

  it('should say it once more, for a JupyterLab that was still building it', () => {
    jest.useFakeTimers();
    const changed = jest.fn();
    const notice = new Notice('Freeing…');
    notice.progress('Waiting.');
    Notification.manager.changed.connect(changed);
    notice.finish('Freed 1.0 GiB.', 'success');
    jest.runAllTimers();
    Notification.manager.changed.disconnect(changed);
    jest.useRealTimers();
    expect(changed).toHaveBeenCalledTimes(2);
    expect(shown().map(({ message }) => message)).toEqual(['Freed 1.0 GiB.']);
  });

  it('should tell the result although its wait was put away', () => {
    const notice = new Notice('Freeing…');
    Notification.manager.dismiss();
    notice.finish('Freed 1.0 GiB.', 'success');
    expect(shown().map(({ message }) => message)).toEqual(['Freed 1.0 GiB.']);
  });
});
