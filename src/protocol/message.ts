/** A sentence of the helper, which the page shows in the language of its person. */
export interface IMessage {
  /** What it says, in whatever words, such as `cause.activations`. */
  id: string;
  /**
   * The English sentence with `{places}`, which is gettext's msgid; backticks
   * and double asterisks are its only markup.
   */
  template: string;
  /** What stands in the places; a key ending in `_bytes` is an integer size. */
  params: Record<string, string | number | boolean | null>;
  /** The template with its values, in English. */
  text: string;
}
