import * as React from 'react';

import { CodeBlock } from '../components/code';
import type { IRemedy } from '../protocol';
import { Fold } from './fold';
import { type IContext, isInserting } from './state';

/** Longest code shown: a saved card may hold anything. */
const MAX_CODE = 4000;

/**
 * The code of a new cell, folded where a button inserts it; or the example of a
 * suggestion.
 */
export function Snippet(
  props: IContext & { remedy: IRemedy }
): React.JSX.Element | null {
  const { remedy, trans } = props;
  const { example, id, kind, type_this } = remedy;
  const isSnippet = kind === 'snippet';
  const code = isSnippet ? type_this : example;
  if (code === null) {
    return null;
  }
  const block = <CodeBlock code={code.slice(0, MAX_CODE)} />;
  return isSnippet && isInserting(props) ? (
    <Fold
      name={`code ${id}`}
      title={trans.__('Show the code')}
      opened={props.opened}
      isSmall
    >
      {block}
    </Fold>
  ) : (
    block
  );
}
