import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { formatBytes, formatPair } from '../format';
import type { IReleased, ItemId } from '../protocol';
import { Hint } from './hint';
import { Icon } from './icons';
import { Sentence } from './sentence';

/** Holders named at most. */
const MOST_HOLDERS = 3;

/** Less than this is not worth a line. */
const SMALLEST_BYTES = 2 ** 20;

interface IResultProps {
  released: IReleased;
  /** The helper's own sentence, in the person's language. */
  sentence: string;
  trans: TranslationBundle;
}

/**
 * What a release gave back, measured before and after.
 */
export function Result(props: IResultProps): React.JSX.Element {
  const { released, sentence, trans } = props;
  if (released.status !== 'done') {
    const icon = released.status === 'failed' ? 'triangle' : 'info';
    return (
      <Hint icon={icon}>
        <Sentence text={sentence} />
      </Hint>
    );
  }
  return (
    <div role="status">
      <p className="jp-GpuHeadroom-freed">
        <Icon name="check" />
        <strong>
          {headline(released, trans) ?? <Sentence text={sentence} />}
        </strong>
      </p>
      <Items released={released} trans={trans} />
      <p className="jp-GpuHeadroom-notice">
        {trans.__('Measured before and after, not estimated.')}
      </p>
    </div>
  );
}

/** What came back; `null` when nothing did that was in use. */
function headline(
  released: IReleased,
  trans: TranslationBundle
): string | null {
  const { freed_bytes, headroom_before_bytes, headroom_after_bytes } = released;
  if (!freed_bytes || freed_bytes < 0) {
    return null;
  }
  const freed = formatBytes(freed_bytes);
  return headroom_before_bytes === null || headroom_after_bytes === null
    ? trans.__('Freed %1', freed)
    : trans.__(
        'Freed %1: headroom %2',
        freed,
        formatPair(headroom_before_bytes, headroom_after_bytes, ' → ')
      );
}

function Items(props: {
  released: IReleased;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { released, trans } = props;
  const names: Record<ItemId, string> = {
    traceback: trans.__('Tracebacks of failed cells'),
    outputs: trans.__('Output history'),
    garbage: trans.__('Unreachable objects'),
    cache: trans.__('Unused cache')
  };
  const rows = released.items
    .filter(({ freed_bytes }) => (freed_bytes ?? 0) >= SMALLEST_BYTES)
    .map(({ id, freed_bytes }) => [names[id], freed_bytes ?? 0] as const);
  const returned = released.returned_bytes ?? 0;
  const held = released.still_held.slice(0, MOST_HOLDERS);
  return (
    <dl className="jp-GpuHeadroom-legend">
      {rows.map(([name, bytes]) => (
        <Row key={name} name={name} bytes={bytes} />
      ))}
      {returned >= SMALLEST_BYTES && (
        <Row name={trans.__('Returned to the card')} bytes={returned} />
      )}
      {held.map(({ name, bytes }) => (
        <Row
          key={name}
          name={trans.__('Still held by %1', name)}
          bytes={bytes}
        />
      ))}
    </dl>
  );
}

function Row({
  name,
  bytes
}: {
  name: string;
  bytes: number;
}): React.JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{formatBytes(bytes)}</dd>
    </div>
  );
}
