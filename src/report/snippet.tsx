import * as React from 'react';

import { CodeBlock } from '../components/code';
import type { IRemedy } from '../protocol';
import { Fold } from './fold';
import { type IContext, isInserting } from './state';

/** Maximum length of code shown, since a saved report may contain any text. */
const MAX_CODE = 4000;

/** Code of a new cell, folded if a button inserts it, or the example of a suggestion. */
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
