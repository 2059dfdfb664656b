import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Bar } from '../components/bar';
import { Button } from '../components/button';
import { Hint } from '../components/hint';
import { Sentence } from '../components/sentence';
import { Verdict } from '../components/verdict';
import { Wait } from '../lab/wait';
import type { IDryRunFit, IDryRunFound, IDryRunTry } from '../protocol';
import { formatBytes } from '../text/format';
import { words } from '../text/messages';
import { listParts, named } from '../text/parts';
import type { DryRun } from './dryrun';
import { describeDoing, describeFit } from './words';

interface IProps {
  readonly dryRun: DryRun;
  readonly trans: TranslationBundle;
}

/**
 * What a dry run found: what is needed and where, on which GPUs it fits, and what came
 * of each edit; while it goes on, what it does, and the way to end it.
 */
export function FitsOn(props: IProps): React.JSX.Element {
  const { dryRun, trans } = props;
  const { isGoing, keep, step } = dryRun;
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
      {found && !isGoing && keep && (
        <div className="jp-GpuHeadroom-actions">
          <Button label={trans.__('Keep in the notebook')} onPress={keep} />
        </div>
      )}
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
      {others.map((each, index) => (
        <p key={index} className="jp-GpuHeadroom-notice">
          <Sentence text={sentence(each)} />
        </p>
      ))}
      <ul className="jp-GpuHeadroom-fits">
        {found.fits.map(each => (
          <Fit key={each.gpu} {...props} fit={each} />
        ))}
      </ul>
      {found.tries.length > 0 && (
        <>
          <h4>{trans.__('Tried on %1', found.tried_on ?? '')}</h4>
          <ul className="jp-GpuHeadroom-tries">
            {found.tries.map((each, index) => (
              <Try key={index} tried={each} trans={trans} />
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
  const said = describeFit(fit, trans);
  return (
    <li>
      <Verdict fits={fits} />
      <span className="jp-mod-name" title={where}>
        {gpu}
      </span>
      <span className="jp-mod-facts">{formatBytes(total_bytes)}</span>
      <span className="jp-mod-size">{said}</span>
      <Bar
        parts={[
          { kind: 'activations', bytes: Math.min(needed, total_bytes) }
        ].filter(({ bytes }) => bytes > 0)}
        total={total_bytes}
        label={trans.__(
          '%1 of %2 needed: %3',
          formatBytes(needed),
          formatBytes(total_bytes),
          said
        )}
        size="wide"
        isSimulated
      />
    </li>
  );
}

function Try(props: {
  tried: IDryRunTry;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { tried, trans } = props;
  const { sentence } = words(trans);
  return (
    <li>
      <Verdict fits={tried.fits} />
      <span>
        <Sentence text={sentence(tried.title)} />
        {': '}
        <Sentence text={sentence(tried.message)} />
      </span>
    </li>
  );
}
