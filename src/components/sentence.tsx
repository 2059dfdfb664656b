import * as React from 'react';

/** The only markup of the catalogue: `code` and **strong**. */
const MARKUP = /(`[^`]+`|\*\*[^*]+\*\*)/;

/**
 * A sentence of the helper.
 */
export function Sentence({ text }: { text: string }): React.JSX.Element {
  const pieces = text.split(MARKUP).map((piece, index) => {
    if (!MARKUP.test(piece)) {
      return piece;
    }
    const isCode = piece.startsWith('`');
    const words = piece.slice(isCode ? 1 : 2, isCode ? -1 : -2);
    return isCode ? (
      <code key={index}>{words}</code>
    ) : (
      <strong key={index}>{words}</strong>
    );
  });
  return <>{pieces}</>;
}
