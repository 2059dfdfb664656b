import * as v from 'valibot';

import { isObject, number } from './value';

type Plain = string | number | boolean | null;

// Not `v.record`, which leaves out keys such as `constructor` unseen.
function isPlain(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.values(value).every(
      item =>
        item === null ||
        typeof item === 'string' ||
        typeof item === 'boolean' ||
        v.is(number, item)
    )
  );
}

/** A sentence of the helper, which the page shows in the language of its person. */
export interface IMessage extends v.InferOutput<typeof MessageSchema> {}
export const MessageSchema = v.object({
  /** What it says, in whatever words, such as `cause.activations`. */
  id: v.string(),
  /**
   * The English sentence with `{places}`, which is gettext's msgid; backticks
   * and double asterisks are its only markup.
   */
  template: v.string(),
  /** What stands in the places; a key ending in `_bytes` is an integer size. */
  params: v.custom<Record<string, Plain>>(
    isPlain,
    'is not an object of plain values'
  ),
  /** The template with its values, in English. */
  text: v.string()
});
