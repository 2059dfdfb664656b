import * as React from 'react';

/** How much of its end a name keeps, in characters. */
const END = 8;

/**
 * A name that gives way in its middle where there is no room for it: what tells
 * it from others is often its end.
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
