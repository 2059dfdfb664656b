/** The only markup of the catalogue: **strong**, which may hold code, and `code`. */
export const MARKUP = /(\*\*(?:`.+?`|.)+?\*\*|`.+?`)/s;

/**
 * A sentence without its markup, for whatever shows text only: a notification, the
 * clipboard, a screen reader.
 */
export function plain(sentence: string): string {
  return sentence.replace(new RegExp(MARKUP, 'g'), piece =>
    piece.startsWith('`') ? piece.slice(1, -1) : plain(piece.slice(2, -2))
  );
}
