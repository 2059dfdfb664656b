import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button } from '../components/button';
import { Cut } from '../components/cut';
import { Hint } from '../components/hint';
import { Wait } from '../lab/wait';
import { formatBytes } from '../text/format';
import type { OtherKernels } from './otherkernels';
import type { IShare } from './sharing';
import { shutDown } from './shutdown';
import { describeActivity } from './words';

interface IListProps {
  others: OtherKernels;
  /** Shares of the selected GPU, the largest first. */
  shares: readonly IShare[];
  /** Memory of all other programs, in words. */
  rest: string;
  trans: TranslationBundle;
}

/** The notebooks on a GPU with their memory, and last all other programs. */
export function NotebookList(props: IListProps): React.JSX.Element {
  const { others, rest, shares, trans } = props;
  return (
    <ul
      className="jp-GpuHeadroom-notebooks"
      aria-label={trans.__('Other notebooks on this GPU')}
    >
      {shares.map(share => (
        <Notebook
          key={share.kernel.id}
          others={others}
          share={share}
          trans={trans}
        />
      ))}
      <li>
        <span
          title={trans.__(
            'What the driver counts for other programs, without the tensors and caches above: programs that did not answer, and driver contexts.'
          )}
        >
          {trans.__('Other programs')}
        </span>
        <span className="jp-GpuHeadroom-size">{rest}</span>
      </li>
    </ul>
  );
}

function Notebook(props: {
  others: OtherKernels;
  share: IShare;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { others, share, trans } = props;
  const { bytes, kernel } = share;
  const [isEnding, setEnding] = React.useState(false);
  const end = async (): Promise<void> => {
    setEnding(true);
    setEnding(await shutDown(others, share, trans));
  };
  return (
    <li>
      <span
        className="jp-GpuHeadroom-notebook"
        title={kernel.path || kernel.name}
      >
        <Cut name={kernel.name} />{' '}
        <small>{describeActivity(kernel, Date.now(), trans)}</small>
      </span>
      <span className="jp-GpuHeadroom-size">{formatBytes(bytes)}</span>
      {others.mayShutDown && (
        <Button
          label={trans.__('Shut down')}
          description={trans.__('Shut down %1', kernel.name)}
          onPress={isEnding ? null : () => void end()}
        />
      )}
    </li>
  );
}

/** How many notebooks were not asked, and why; nothing if all were. */
export function Unasked(props: {
  others: OtherKernels;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { others, trans } = props;
  const count = others.unasked;
  if (others.isAsking) {
    const label = trans.__('Measuring…');
    return <Wait label={label} onCancel={null} trans={trans} />;
  }
  if (count === 0) {
    return null;
  }
  return (
    <div className="jp-GpuHeadroom-unasked">
      <Hint icon="info">
        {trans._n(
          '%1 kernel without a connected page was skipped: a page that reconnects would miss what it printed meanwhile.',
          '%1 kernels without a connected page were skipped: a page that reconnects would miss what they printed meanwhile.',
          count
        )}
      </Hint>
      <Button
        label={trans.__('Ask anyway')}
        onPress={() => {
          others.askUnasked();
        }}
      />
    </div>
  );
}
