import * as React from 'react';
import { MARKUP } from '../text/plain';

/** Longest text shown of any one sentence: a saved card may hold anything. */
const MAX_TEXT = 2000;

/**
 * A sentence of the helper. Text always goes in as text, never as markup.
 */
export function Sentence({ text }: { text: string }): React.JSX.Element {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  // Odd pieces are what stood between a pair of marks.
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
