import * as React from 'react';

import { Sentence } from '../components/sentence';

/** A list of names with their sizes. */
export function Rows(props: {
  rows: readonly (readonly [name: string, size: string])[];
}): React.JSX.Element {
  return (
    <dl className="jp-GpuHeadroom-legend">
      {props.rows.map(([name, size], index) => (
        <div key={`${name} ${index}`}>
          <dt>
            <Sentence text={name} />
          </dt>
          <dd>{size}</dd>
        </div>
      ))}
    </dl>
  );
}
