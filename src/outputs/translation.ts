import type { IWords } from '../text/messages';
import type { ITranslate } from '../text/translate';

/** English, which is what an output speaks: its page says no language. */
export const trans: ITranslate = {
  __: (msgid, ...args) =>
    msgid.replace(/%(\d)/g, (_, place) => String(args[Number(place) - 1]))
};

/** The sentences of the helper as it wrote them. */
export const WORDS: IWords = { trans, sentence: ({ text }) => text };
