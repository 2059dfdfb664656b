import type { IWords } from '../text/messages';
import type { ICountingTranslate } from '../text/translate';

/** English, since the page around an output states no language. */
export const trans: ICountingTranslate = {
  __: (msgid, ...args) => filled(msgid, args),
  _n: (one, many, ...args) => filled(args[0] === 1 ? one : many, args)
};

function filled(text: string, args: readonly (string | number)[]): string {
  return text.replace(/%(\d)/g, (_, place) => String(args[Number(place) - 1]));
}

/** The sentences of the helper, unchanged. */
export const WORDS: IWords = { trans, sentence: ({ text }) => text };

/**
 * Replaces that of `text/messages.ts` in the script of an output (`scripts/frame.mjs`).
 */
export const words = (): IWords => WORDS;
