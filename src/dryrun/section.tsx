import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Bar } from '../components/bar';
import { Button } from '../components/button';
import { Hint } from '../components/hint';
import { Sentence } from '../components/sentence';
import { Verdict } from '../components/verdict';
import { Wait } from '../lab/wait';
import type { IAppliedEdit } from '../lab/edit';
import type { IDryRunFit, IDryRunFound, IDryRunTry } from '../protocol';
import { formatBytes } from '../text/format';
import { words } from '../text/messages';
import { listParts, named } from '../text/parts';
import type { DryRun } from './dryrun';
import type { DryRunMore, Here } from './here';
import { bestOf, describeDoing, describeFit, describeLargest } from './words';

interface IProps {
  readonly dryRun: DryRun;
  readonly trans: TranslationBundle;
}

/**
 * Results of a dry run: the peak and its cell, the GPUs that it fits on, and the result
 * of each edit; while it is running, its progress and a button to stop it.
 */
export function FitsOn(props: IProps): React.JSX.Element {
  const { dryRun, trans } = props;
  const { here, isGoing, step } = dryRun;
  const found = step?.found ?? null;
  const doing = describeDoing(dryRun, trans);
  return (
    <div className="jp-GpuHeadroom-dryRun">
      {isGoing ? (
        <Wait
          label={doing}
          onCancel={() => void dryRun.cancel()}
          trans={trans}
        />
      ) : (
        doing && (
          <Hint icon="info" isSpoken>
            <Sentence text={doing} />
          </Hint>
        )
      )}
      {found && <Found {...props} found={found} />}
      {found && !isGoing && here && (
        <Actions found={found} here={here} trans={trans} />
      )}
    </div>
  );
}

/** Actions once it has ended. */
function Actions(props: {
  found: IDryRunFound;
  here: Here;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { found, here, trans } = props;
  const [problem, setProblem] = React.useState('');
  const { batch, fits, values_to } = found;
  const again = async (more: Partial<DryRunMore>): Promise<void> => {
    setProblem((await here.again(more)) ?? '');
  };
  return (
    <div className="jp-GpuHeadroom-actions">
      {values_to !== null && (
        <Button
          label={trans.__('Run with values')}
          onPress={() => void again({ values_to })}
        />
      )}
      {batch !== null && fits.every(({ largest }) => largest === null) && (
        <Button
          label={trans.__('Largest %1 on each GPU', batch)}
          onPress={() => void again({ largest_on_each: true })}
        />
      )}
      <span role="status">{problem}</span>
    </div>
  );
}

function Found(props: IProps & { found: IDryRunFound }): React.JSX.Element {
  const { found, trans } = props;
  const { sentence } = words(trans);
  const [needed, ...others] = found.said;
  return (
    <>
      {needed && (
        <Hint icon="flask" isSpoken>
          <Sentence text={sentence(needed)} />
        </Hint>
      )}
      {found.parts.length > 0 && (
        <p className="jp-GpuHeadroom-notice">
          {listParts(named(found.parts, trans))}
        </p>
      )}
      {others.map((other, index) => (
        <p key={index} className="jp-GpuHeadroom-notice">
          <Sentence text={sentence(other)} />
        </p>
      ))}
      <ul className="jp-GpuHeadroom-fits">
        {found.fits.map(fit => (
          <Fit key={fit.gpu} {...props} fit={fit} />
        ))}
      </ul>
      {found.tries.length > 0 && (
        <>
          <h4>
            {trans.__('Tried on a simulated GPU: %1', found.tried_on ?? '')}
          </h4>
          <ul className="jp-GpuHeadroom-tries">
            {Object.values(bestOf(found.tries)).map(best => (
              <Try key={best.remedy_id} {...props} tried={best} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** One GPU: the peak in its memory, and what is left then. */
function Fit(
  props: IProps & { fit: IDryRunFit; found: IDryRunFound }
): React.JSX.Element {
  const { fit, found, trans } = props;
  const { fits, gpu, total_bytes, where } = fit;
  const needed = found.needed_bytes ?? 0;
  const verdict = describeFit(fit, trans);
  const largest = describeLargest(fit, found, trans);
  return (
    <li>
      <Verdict fits={fits} />
      <span className="jp-mod-name" title={where}>
        {gpu}
      </span>
      <span className="jp-mod-facts">{formatBytes(total_bytes)}</span>
      <span className="jp-mod-size">{verdict}</span>
      <Bar
        parts={[
          { kind: 'activations', bytes: Math.min(needed, total_bytes) }
        ].filter(({ bytes }) => bytes > 0)}
        total={total_bytes}
        label={trans.__(
          '%1 of %2 needed: %3',
          formatBytes(needed),
          formatBytes(total_bytes),
          verdict
        )}
        size="wide"
        isSimulated
      />
      {largest && <span className="jp-mod-largest">{largest}</span>}
    </li>
  );
}

/** Result of an edit; one that fits can be made in the notebook, and undone. */
function Try(props: IProps & { tried: IDryRunTry }): React.JSX.Element {
  const { dryRun, tried, trans } = props;
  const { here } = dryRun;
  const { sentence } = words(trans);
  const [made, setMade] = React.useState<readonly IAppliedEdit[]>([]);
  const [problem, setProblem] = React.useState('');
  const title = sentence(tried.title);
  const isMade = made.length > 0;
  const press = async (): Promise<void> => {
    try {
      setMade(
        (await (isMade ? here?.undo(made) : here?.apply(tried.edits))) ?? []
      );
      setProblem('');
    } catch (reason) {
      setProblem((reason as Error).message);
    }
  };
  // While the dry run is running, a better edit may be found.
  const isOffered = isMade || (!dryRun.isGoing && tried.fits);
  const action = isMade ? trans.__('Undo') : trans.__('Apply');
  return (
    <li>
      <Verdict fits={tried.fits} />
      <span>
        <Sentence text={title} />
        {': '}
        <Sentence text={sentence(tried.message)} />
        <span role="status">{problem && ` ${problem}`}</span>
      </span>
      {here && isOffered && tried.edits.length > 0 && (
        <Button
          label={action}
          description={`${action}: ${title}`}
          focusKey={title}
          onPress={() => void press()}
        />
      )}
    </li>
  );
}
