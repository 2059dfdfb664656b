/**
 * A sentence without the marks of the catalogue, `code` and **strong**, for whatever
 * shows text only: a notification, the clipboard, a screen reader.
 */
export function plain(sentence: string): string {
  return sentence.replace(/\*\*|`/g, '');
}
