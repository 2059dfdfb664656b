import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import { Sentence } from '../components/sentence';
import { PackMissing } from '../kernel/laterpacks';
import { explain } from '../kernel/problem';
import { Wait } from '../lab/wait';
import type { IFollowed } from '../protocol';
import { words } from '../text/messages';
import { Engines } from './engines';
import { WorkerList } from './list';
import type { IWorkersProps } from './props';
import { describeTask } from './words';

/**
 * The processes that a notebook sends its work to: engines that are not measured, the
 * outcome of the last action, and workers, those on the fullest GPU first.
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
        <Outcome {...props} />
        <WorkerList {...props} />
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

/** The state of a measured engine is shown below its workers. */
function isMeasured({ state }: IFollowed): boolean {
  return state === 'measured';
}

/** What goes on, or what came of it: one sentence. */
function Outcome({ trans, workers }: IWorkersProps): React.JSX.Element {
  const { last } = workers.actions;
  const result = last?.task.result;
  const problem = last?.task.problem ?? workers.actions.problem;
  return (
    <div role="status">
      {last?.task.isLong && (
        <Wait label={describeTask(last, trans)} onCancel={null} trans={trans} />
      )}
      {result && (
        <Hint icon={result.status === 'done' ? 'check' : 'info'}>
          <Sentence text={words(trans).sentence(result.message)} />
        </Hint>
      )}
      {problem !== null && (
        <Hint icon="triangle">{explain(problem, trans)}</Hint>
      )}
    </div>
  );
}
