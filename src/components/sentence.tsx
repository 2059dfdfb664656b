import * as React from 'react';
import { MARKUP } from '../text/plain';

/**
 * Maximum length of a sentence in characters, since a saved report may contain any
 * text.
 */
const MAX_TEXT = 2000;

/** A sentence of the helper. Text is always inserted as text, never as markup. */
export function Sentence({ text }: { text: string }): React.JSX.Element {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  // Pieces with odd indices were matched by the markup.
  const pieces = short.split(MARKUP).map((piece, index) => {
    if (index % 2 === 0) {
      return piece;
    }
    return piece.startsWith('`') ? (
      <code key={index}>{piece.slice(1, -1)}</code>
    ) : (
      <strong key={index}>
        <Sentence text={piece.slice(2, -2)} />
      </strong>
    );
  });
  return <>{pieces}</>;
}
