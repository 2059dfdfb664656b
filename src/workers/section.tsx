import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import { Sentence } from '../components/sentence';
import { PackMissing } from '../kernel/laterpacks';
import { explain } from '../kernel/problem';
import { Wait } from '../lab/wait';
import { words } from '../text/messages';
import { Engine } from './engines';
import { WorkerList } from './list';
import { describeTask } from './words';
import type { Workers } from './workers';

interface IWorkersProps {
  readonly workers: Workers;
  /** The numbers are stale. */
  readonly isStale: boolean;
  /** Whether the user may have workers measured. */
  readonly mayMeasure: boolean;
  readonly trans: TranslationBundle;
}

/**
 * The processes that a notebook sends its work to: engines, the result of the last
 * action, and workers, those on the fullest GPU first.
 */
export function WorkersSection(props: IWorkersProps): React.JSX.Element | null {
  const { trans, workers } = props;
  const { problem, summary } = workers;
  return (
    summary && (
      <>
        {summary.engines.map(engine => (
          <Engine key={engine.engine} {...props} engine={engine} />
        ))}
        <Outcome {...props} />
        <WorkerList {...props} />
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

/** The action in progress, or its result: one sentence. */
function Outcome({ trans, workers }: IWorkersProps): React.JSX.Element {
  const { followProblem, last } = workers;
  const result = last?.task.result;
  const problem = last?.task.problem ?? followProblem;
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
