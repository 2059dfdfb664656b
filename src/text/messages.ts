import type { IMessage } from '../protocol';
import { fill } from './fill';
import type { ITranslate } from './translate';

/** What says the sentences of a page and of the helper. */
export interface IWords {
  readonly trans: ITranslate;
  /** A sentence that came with a report or an event. */
  sentence(message: IMessage): string;
}

/** What gettext would not leave as it is: its own places. */
const PLACES_OF_GETTEXT = /%[%\d]/;

/**
 * The words of the helper and of cards in the person's language.
 *
 * A message brings its template, which is gettext's msgid: the helper's
 * catalogue has them, and `make translations` collects them.
 */
export function words(trans: ITranslate): IWords {
  return {
    trans,
    sentence: ({ template, params, text }) =>
      fill(look(trans, template), params, text)
  };
}

/** Translate a template; one that no helper made may be any text. */
function look(trans: ITranslate, template: string): string {
  return template in Object.prototype || PLACES_OF_GETTEXT.test(template)
    ? template
    : // It is a literal in the helper's catalogue.
      // eslint-disable-next-line jupyter/no-dynamic-translation
      trans.__(template);
}
