import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Task } from '../kernel/task';
import { whenLong, type Work } from '../memory/work';

/** How long a result stays on screen, in milliseconds. */
const AUTO_CLOSE = 8000;

/** The same of one with a button, which JupyterLab's list of notifications keeps. */
const OFFER_CLOSE = 20_000;

/** JupyterLab loses a change of a notification that it is still building. */
const SETTLE_MS = 1500;

type Change = Omit<Notification.IUpdate<null>, 'id' | 'message'> & {
  message: string;
  type: Notification.TypeOptions;
};

/**
 * The one notification of a piece of work: that it goes on, where it takes long
 * enough for a word, and its result.
 */
export class Notice {
  constructor(
    private readonly _trans: TranslationBundle,
    message: string,
    onCancel: (() => void) | null = null
  ) {
    this.progress(message, onCancel);
    this._callOff = whenLong(() => {
      this._show();
    });
  }

  /** The work goes on; `onCancel`: what ends it, where that can be done. */
  progress(message: string, onCancel: (() => void) | null = null): void {
    const callback = (press: MouseEvent): void => {
      // It stays on screen to tell what became of the work.
      press.preventDefault();
      onCancel?.();
    };
    const actions = onCancel
      ? [{ label: this._trans.__('Cancel'), callback }]
      : [];
    this._last = { message, type: 'in-progress', actions, autoClose: false };
    if (this._id !== null) {
      this._update(this._id, this._last);
    }
  }

  /** The work is done; it stays on screen with what can be done next. */
  offer(
    message: string,
    label: string,
    onPress: () => void,
    type: Notification.TypeOptions = 'success'
  ): void {
    const actions = [{ label, callback: onPress }];
    this.finish(message, type, { actions, autoClose: OFFER_CLOSE });
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
    this._callOff();
    this._last = {
      message,
      type,
      autoClose: AUTO_CLOSE,
      actions: [],
      ...further
    };
    if (this._id === null || !this._update(this._id, this._last)) {
      this._show();
    }
  }

  /** The result is told elsewhere. */
  dismiss(): void {
    this._callOff();
    if (this._id !== null) {
      Notification.dismiss(this._id);
    }
  }

  private _show(): void {
    const { message, type, ...options } = this._last;
    this._madeAt = Date.now();
    this._id = Notification.emit(message, type, options);
  }

  /** Returns whether the notification is still there. */
  private _update(id: string, change: Change): boolean {
    const repeat = (): void => {
      if (this._last === change) {
        Notification.update({ id, ...change });
      }
    };
    if (Date.now() - this._madeAt < SETTLE_MS) {
      window.setTimeout(repeat, SETTLE_MS);
    }
    return Notification.update({ id, ...change });
  }

  private readonly _callOff: () => void;
  private _last!: Change;
  /** In milliseconds. */
  private _madeAt = 0;
  /** `null`: it is not on screen yet. */
  private _id: string | null = null;
}

/** What is said of a task while it goes on. */
export interface ITaskWords {
  readonly going: string;
  /** A running cell is in the way. */
  readonly waiting: () => string;
}

/**
 * The notification that follows a task, with the way to cancel it. Its caller tells
 * the result.
 */
export function noticeOf<K extends Work>(
  task: Task<K>,
  { going, waiting }: ITaskWords,
  trans: TranslationBundle
): Notice {
  const notice = new Notice(trans, going);
  const follow = (): void => {
    if (task.step === 'stopping') {
      notice.progress(nameStopping(trans));
    } else if (task.step !== 'ended') {
      notice.progress(
        task.step === 'waiting' ? waiting() : going,
        () => void task.cancel()
      );
    }
  };
  task.changed.connect(follow);
  follow();
  return notice;
}

/** A task was cancelled, and a step of it may have to be done whole. */
export function nameStopping(trans: TranslationBundle): string {
  return trans.__('Stopping after this step…');
}
