import * as React from 'react';

/** Text with a shorter version for narrow panels. */
export function Adapting(props: {
  long: string;
  short: string;
}): React.JSX.Element {
  return (
    <>
      <span className="jp-mod-long">{props.long}</span>
      <span className="jp-mod-short" aria-hidden="true">
        {props.short}
      </span>
    </>
  );
}
