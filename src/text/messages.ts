import type { IMessage } from '../protocol';
import { fill } from './fill';
import type { ITranslate } from './translate';

/** Translations of the page and of the helper's messages. */
export interface IWords {
  readonly trans: ITranslate;
  /** A sentence sent with a report or an event. */
  sentence(message: IMessage): string;
}

/** Placeholders of gettext, which it would replace. */
const PLACES_OF_GETTEXT = /%[%\d]/;

/**
 * Translations of the helper's messages and of reports into the user's language.
 *
 * A message includes its template, which is gettext's msgid: `make translations`
 * collects them from the helper's catalog.
 */
export function words(trans: ITranslate): IWords {
  return {
    trans,
    sentence: ({ template, params, text }) =>
      fill(look(trans, template), params, text)
  };
}

/** Translate a template; one that is not from the helper may be any text. */
function look(trans: ITranslate, template: string): string {
  return template in Object.prototype || PLACES_OF_GETTEXT.test(template)
    ? template
    : // It is a literal in the helper's catalog.
      // eslint-disable-next-line jupyter/no-dynamic-translation
      trans.__(template);
}
