import { Notification } from '@jupyterlab/apputils';

/** How long a result stays on screen, in milliseconds. */
const AUTO_CLOSE = 8000;

/** Notifications show text only: the marks of `code` and **strong** go. */
export function plain(sentence: string): string {
  return sentence.replace(/\*\*|`/g, '');
}

/** JupyterLab loses a change of a notification that it is still building. */
const SETTLE_MS = 1500;

type Change = Omit<Notification.IUpdate<null>, 'id'>;

/**
 * A notification that follows one piece of work from its start to its result.
 */
export class Notice {
  constructor(message: string) {
    this._id = Notification.emit(message, 'in-progress', { autoClose: false });
  }

  /** The work waits, or goes on in steps; a press of the button takes it back. */
  waiting(message: string, label: string, onCancel: () => void): void {
    const callback = (press: MouseEvent): void => {
      // It stays on screen to tell what became of the wait.
      press.preventDefault();
      onCancel();
    };
    this._update({ message, actions: [{ label, callback }] });
  }

  /** The work goes on, or waits and cannot be taken back. */
  progress(message: string): void {
    this._update({ message, actions: [] });
  }

  /** The work is done; it stays on screen with what can be done next. */
  offer(
    message: string,
    label: string,
    onPress: () => void,
    type: Notification.TypeOptions = 'success'
  ): void {
    const actions = [{ label, callback: onPress }];
    this.finish(message, type, { actions, autoClose: false });
  }

  /**
   * The work has ended: well, badly, or with nothing achieved. A result is told
   * although the wait for it was put away.
   */
  finish(
    message: string,
    type: Notification.TypeOptions,
    further: Notification.IOptions<null> = {}
  ): void {
    const options = { autoClose: AUTO_CLOSE, actions: [], ...further };
    if (!this._update({ message, type, ...options })) {
      this._id = Notification.emit(message, type, options);
    }
  }

  /** Returns whether the notification is still there. */
  private _update(change: Change): boolean {
    const repeat = (): void => {
      if (this._last === change) {
        Notification.update({ id: this._id, ...change });
      }
    };
    this._last = change;
    if (Date.now() - this._madeAt < SETTLE_MS) {
      window.setTimeout(repeat, SETTLE_MS);
    }
    return Notification.update({ id: this._id, ...change });
  }

  /** In milliseconds. */
  private readonly _madeAt = Date.now();
  private _id: string;
  private _last: Change | null = null;
}
