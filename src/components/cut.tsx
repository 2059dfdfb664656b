import * as React from 'react';

/** Number of characters kept at the end of a name. */
const END = 8;

/**
 * A name that is shortened in the middle if there is no room, since its end often
 * distinguishes it.
 */
export function Cut({ name }: { name: string }): React.JSX.Element {
  const letters = Array.from(name);
  const end = letters.length > 2 * END ? letters.length - END : letters.length;
  return (
    <span className="jp-GpuHeadroom-cut">
      <span>{letters.slice(0, end).join('')}</span>
      <span>{letters.slice(end).join('')}</span>
    </span>
  );
}
