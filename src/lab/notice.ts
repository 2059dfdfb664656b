import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Task } from '../kernel/task';
import { whenLong, type Work } from '../memory/work';

/** How long a result stays on screen, in milliseconds. */
const AUTO_CLOSE = 8000;

/**
 * How long a result with a button stays on screen, in milliseconds; JupyterLab's list
 * of notifications keeps it.
 */
const OFFER_CLOSE = 20_000;

/**
 * JupyterLab loses changes of a notification made sooner than this, in milliseconds,
 * while it is still being built.
 */
const SETTLE_MS = 1500;

type Change = Omit<Notification.IUpdate<null>, 'id' | 'message'> & {
  message: string;
  type: Notification.TypeOptions;
};

/**
 * The notification of one piece of work: its progress if it takes long enough, and its
 * result.
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

  /** Show progress; `onCancel` cancels the work, if possible. */
  progress(message: string, onCancel: (() => void) | null = null): void {
    const callback = (press: MouseEvent): void => {
      // Stay on screen to show the result.
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

  /** Show the result and keep it on screen with an action that can follow. */
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
   * Show the result: success, failure, or no effect. It is shown even if the user
   * dismissed the progress.
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

  /** Remove the notification; the result is shown in another place. */
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
  /** `null`: not on screen yet. */
  private _id: string | null = null;
}

/** Sentences of a task in progress. */
export interface ITaskWords {
  readonly going: string;
  /** For when a running cell is in the way. */
  readonly waiting: () => string;
}

/**
 * Create the notification that follows a task, with a button to cancel it. The caller
 * shows the result.
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

/** Sentence for a canceled task that may have to complete a step first. */
export function nameStopping(trans: TranslationBundle): string {
  return trans.__('Stopping after this step…');
}
