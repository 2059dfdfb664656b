import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import { Sentence } from '../components/sentence';
import { PackMissing } from '../kernel/laterpacks';
import { explain } from '../kernel/problem';
import { Wait } from '../lab/wait';
import type { IFollowed } from '../protocol';
import { words } from '../text/messages';
import { CardTree } from './cardtree';
import { Engines } from './engines';
import { Filter, Pages } from './finding';
import { LeftOver } from './leftoverline';
import type { IWorkersProps } from './props';
import { describeGoing } from './words';

/**
 * The processes that a notebook sends its work to: what is not measured, their cards,
 * the fullest first, and what came of what was done with them.
 */
export function WorkersSection(
  props: IWorkersProps & {
    /** The numbers are old. */
    isStale: boolean;
    /** Whether a person is offered to have workers measured. */
    mayMeasure: boolean;
  }
): React.JSX.Element | null {
  const { trans, workers } = props;
  const { problem, told } = workers;
  return (
    told && (
      <>
        <Engines
          {...props}
          engines={told.engines.filter(each => !isMeasured(each))}
        />
        <LeftOver {...props} told={told} />
        <Outcome {...props} />
        <Filter {...props} />
        <CardTree {...props} />
        <Pages {...props} />
        <Engines {...props} engines={told.engines.filter(isMeasured)} />
        {problem !== null && <Hint icon="info">{explain(problem, trans)}</Hint>}
        {problem instanceof PackMissing && (
          <Button
            label={trans.__('Try again')}
            onPress={() => void workers.retry()}
          />
        )}
      </>
    )
  );
}

/** Of those that are measured the cards say more: what else there is stands below. */
function isMeasured({ state }: IFollowed): boolean {
  return state === 'measured';
}

/** What goes on, or what came of it: one sentence. */
function Outcome({ trans, workers }: IWorkersProps): React.JSX.Element {
  const { going, isLong, problem, results } = workers.actions;
  const { sentence } = words(trans);
  const said = new Set(results.map(({ message }) => sentence(message)));
  const isWell = results.every(({ status }) => status === 'done');
  return (
    <div role="status">
      {going && isLong && (
        <Wait
          label={describeGoing(going, trans)}
          onCancel={null}
          trans={trans}
        />
      )}
      {!going && said.size > 0 && (
        <Hint icon={isWell ? 'check' : 'info'}>
          <Sentence text={[...said].join(' ')} />
        </Hint>
      )}
      {!going && problem !== null && (
        <Hint icon="triangle">{explain(problem, trans)}</Hint>
      )}
    </div>
  );
}
