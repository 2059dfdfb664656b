import * as React from 'react';

/** What is said in fewer words where the panel has no room. */
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
