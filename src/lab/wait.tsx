import { formatDuration } from '../text/format';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button } from '../components/button';
import type { Task } from '../kernel/task';
import type { Work } from '../memory/work';
import { nameStopping } from './notice';

/** Work in progress: its description, its elapsed time, and a button to cancel it. */
export function Wait(props: {
  /** A sentence in the present continuous. */
  label: string;
  /** Whole seconds; `null`: not reported. */
  elapsed_s?: number | null;
  /** `null`: it cannot be canceled. */
  onCancel: (() => void) | null;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { elapsed_s = null, label, onCancel, trans } = props;
  return (
    <div className="jp-GpuHeadroom-measuring">
      <p className="jp-GpuHeadroom-notice" role="status">
        {label}
      </p>
      {elapsed_s !== null && (
        <span className="jp-GpuHeadroom-notice">
          {formatDuration(elapsed_s, trans)}
        </span>
      )}
      {onCancel && <Button label={trans.__('Cancel')} onPress={onCancel} />}
    </div>
  );
}

/**
 * A walk in progress, with its time and a button to cancel it once the kernel reports
 * it.
 */
export function WalkWait<K extends Work>(props: {
  task: Task<K> | null;
  label: string;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { label, task, trans } = props;
  const elapsed_s = task?.elapsed_s ?? null;
  const onCancel = elapsed_s === null ? null : () => void task?.cancel();
  return <Wait {...{ elapsed_s, label, onCancel, trans }} />;
}

/** A task in progress; nothing until it has taken long. */
export function TaskWait<K extends Work>(props: {
  task: Task<K>;
  going: string;
  /** Sentence for when a running cell is in the way. */
  waiting: string;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { going, task, trans, waiting } = props;
  const onCancel = (): void => void task.cancel();
  switch (task.step) {
    case 'going':
      return <Wait label={going} onCancel={onCancel} trans={trans} />;
    case 'waiting':
      return <Wait label={waiting} onCancel={onCancel} trans={trans} />;
    case 'stopping':
      return <Wait label={nameStopping(trans)} onCancel={null} trans={trans} />;
    default:
      return null;
  }
}
