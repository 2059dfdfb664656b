import * as React from 'react';

import { Sentence } from '../components/sentence';
import type { IRemedy } from '../protocol';
import { Diffs } from './diff';
import { effectText, givesMemory } from './effect';
import { Progress } from './progress';
import { RemedyButtons } from './remedybuttons';
import { Snippet } from './snippet';
import { type IContext, isCode, isInserting } from './state';
import { TriedEdit } from './tries';

/** One remedy as an item of the ordered list. */
export function RemedyItem(
  props: IContext & { remedy: IRemedy; isPrimary: boolean }
): React.JSX.Element {
  const { remedy, sentence, trans } = props;
  return (
    <li className="jp-GpuHeadroomReport-remedy">
      <div className="jp-GpuHeadroomReport-remedyBody">
        <div>
          <p className="jp-GpuHeadroomReport-remedyTitle">
            <Sentence text={sentence(remedy.title)} />
          </p>
          <p className="jp-GpuHeadroomReport-note">
            <Sentence text={noteOf(props)} />
          </p>
          <TriedEdit {...props} />
          <Diffs {...props} />
          <Snippet {...props} />
        </div>
        <div className="jp-GpuHeadroomReport-remedySide">
          {givesMemory(remedy) && (
            <p className="jp-GpuHeadroomReport-effect">
              <Sentence text={effectText(trans, remedy)} />
            </p>
          )}
          <RemedyButtons {...props} />
        </div>
      </div>
      <Progress {...props} />
    </li>
  );
}

/** Cost of a remedy, and what to type where no button can do it. */
function noteOf(context: IContext & { remedy: IRemedy }): string {
  const { remedy, sentence, state, trans } = context;
  const { kind, note, type_this: typed } = remedy;
  const isDone = isCode(remedy)
    ? isInserting(context)
    : kind !== 'suggestion' && state.trust !== 'saved';
  if (typed === null || isDone) {
    return sentence(note);
  }
  const how = trans.__('Run this in a new cell:');
  const code = kind === 'snippet' ? '' : ` \`${typed.replace(/`/g, "'")}\``;
  return `${sentence(note)} ${how}${code}`;
}
