import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { formatBytes, formatPair } from '../format';
import type { IWords } from '../frame/state';
import type { IReleased } from '../protocol';
import type { IPlainRelease } from './plainrelease';

/** How long a result stays on screen, in milliseconds. */
const AUTO_CLOSE = 8000;

/** Holders named in a notification, which has room for 140 characters. */
const MAX_HELD = 2;

/**
 * The result of a release in one or two short sentences.
 */
export function releasedSentence(words: IWords, released: IReleased): string {
  const { trans } = words;
  const freed = released.freed_bytes ?? 0;
  if (released.status !== 'done' || freed <= 0) {
    return plain(words.sentence(released.message));
  }
  const { headroom_before_bytes: before, headroom_after_bytes: after } =
    released;
  const first =
    before === null || after === null
      ? trans.__('Freed %1.', formatBytes(freed))
      : trans.__(
          'Freed %1: headroom %2.',
          formatBytes(freed),
          formatPair(before, after, ' → ')
        );
  const held = released.still_held
    .slice(0, MAX_HELD)
    .map(holder => `${holder.name} ${formatBytes(holder.bytes)}`)
    .join(', ');
  return held ? `${first} ${trans.__('Still held: %1.', held)}` : first;
}

/**
 * The result of a release without the helper, and what it could not do.
 */
export function plainSentence(
  trans: TranslationBundle,
  { freedBytes, returnedBytes }: IPlainRelease
): string {
  const limits = trans.__(
    'Without the helper, tracebacks keep what they hold.'
  );
  if (freedBytes !== null && freedBytes > 0) {
    return `${trans.__('Freed %1.', formatBytes(freedBytes))} ${limits}`;
  }
  return returnedBytes !== null && returnedBytes > 0
    ? `${trans.__('Returned %1 of unused cache.', formatBytes(returnedBytes))} ${limits}`
    : `${trans.__('Nothing was freed.')} ${limits}`;
}

/** Notifications show text only: the marks of `code` and **strong** go. */
export function plain(sentence: string): string {
  return sentence.replace(/\*\*|`/g, '');
}

/**
 * A notification that follows one piece of work from its start to its result.
 */
export class Notice {
  constructor(message: string) {
    this._id = Notification.emit(message, 'in-progress', { autoClose: false });
  }

  /** The work waits; a press of the button takes it back. */
  waiting(message: string, label: string, onCancel: () => void): void {
    Notification.update({
      id: this._id,
      message,
      actions: [{ label, callback: onCancel }]
    });
  }

  /** The work goes on, or waits and cannot be taken back. */
  progress(message: string): void {
    Notification.update({ id: this._id, message });
  }

  done(message: string): void {
    this._finish(message, 'success');
  }

  /** The work is done; it stays on screen with what can be done next. */
  offer(message: string, label: string, onPress: () => void): void {
    this._finish(message, 'success');
    Notification.update({
      id: this._id,
      message,
      autoClose: false,
      actions: [{ label, callback: onPress }]
    });
  }

  /** Nothing went wrong, but nothing was achieved. */
  info(message: string): void {
    this._finish(message, 'info');
  }

  failed(message: string): void {
    this._finish(message, 'error');
  }

  private _finish(message: string, type: Notification.TypeOptions): void {
    Notification.update({
      id: this._id,
      message,
      type,
      autoClose: AUTO_CLOSE,
      actions: []
    });
  }

  private readonly _id: string;
}
