/** The only markup of the catalog: **strong**, which may contain code, and `code`. */
export const MARKUP = /(\*\*(?:`.+?`|.)+?\*\*|`.+?`)/s;

/**
 * A sentence without its markup, for plain text: a notification, the clipboard, a
 * screen reader.
 */
export function plain(sentence: string): string {
  return sentence.replace(new RegExp(MARKUP, 'g'), piece =>
    piece.startsWith('`') ? piece.slice(1, -1) : plain(piece.slice(2, -2))
  );
}
