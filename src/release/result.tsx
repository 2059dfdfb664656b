import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Hint } from '../components/hint';
import { Icon } from '../components/icon';
import { Sentence } from '../components/sentence';
import type { IReleased } from '../protocol';
import { formatBytes, formatPair, MIB } from '../text/format';
import { words } from '../text/messages';
import { nameHeadroom } from './words';

/** Holders named at most. */
const MOST_HOLDERS = 3;

/** Less than this is not worth a line. */
const SMALLEST_BYTES = MIB;

/** Less than this share of what was expected is worth a reason. */
const FULFILLED = 0.95;

interface IResultProps {
  released: IReleased;
  /** What it was expected to give; `null`: not measured before. */
  expected_bytes: number | null;
  trans: TranslationBundle;
}

/** Whether a release took something back, which gives no memory. */
export function isRestored({ items }: IReleased): boolean {
  return items.length > 0 && items.every(({ kind }) => kind === 'restore');
}

/**
 * What a release gave back, measured before and after.
 */
export function Result(props: IResultProps): React.JSX.Element {
  const { released, trans } = props;
  const { message, status } = released;
  const sentence = <Sentence text={words(trans).sentence(message)} />;
  if (status !== 'done') {
    return (
      <div role="status">
        <Hint icon={status === 'failed' ? 'triangle' : 'info'}>{sentence}</Hint>
        <Reasons {...props} />
      </div>
    );
  }
  const isUndone = isRestored(released);
  const headroom = nameHeadroom(released);
  return (
    <div role="status">
      <p className="jp-GpuHeadroom-freed">
        <Icon name="check" />
        <strong>{headline(props) ?? sentence}</strong>
      </p>
      {!isUndone && <Items {...props} />}
      <Reasons {...props} />
      <p className="jp-GpuHeadroom-notice">
        {isUndone && headroom && `${trans.__('Headroom %1.', headroom)} `}
        {trans.__('Measured before and after, not estimated.')}
      </p>
    </div>
  );
}

/** What came back; `null` when nothing did that was in use. */
function headline(props: IResultProps): string | null {
  const { expected_bytes, released, trans } = props;
  const { freed_bytes } = released;
  if (!freed_bytes || freed_bytes < 0) {
    return null;
  }
  if (expected_bytes !== null && freed_bytes < FULFILLED * expected_bytes) {
    const pair = formatPair(freed_bytes, expected_bytes, trans.__(' of '));
    return trans.__('Freed %1.', pair);
  }
  const freed = formatBytes(freed_bytes);
  const headroom = nameHeadroom(released);
  return headroom
    ? trans.__('Freed %1: headroom %2', freed, headroom)
    : trans.__('Freed %1', freed);
}

function Items({ released, trans }: IResultProps): React.JSX.Element {
  const { sentence } = words(trans);
  const rows = released.items.filter(
    ({ freed_bytes }) => (freed_bytes ?? 0) >= SMALLEST_BYTES
  );
  const returned = released.returned_bytes ?? 0;
  const held = released.still_held.slice(0, MOST_HOLDERS);
  return (
    <dl className="jp-GpuHeadroom-legend">
      {rows.map(({ id, title, freed_bytes }) => (
        <Row key={id} name={sentence(title)} bytes={freed_bytes ?? 0} />
      ))}
      {returned >= SMALLEST_BYTES && (
        <Row name={trans.__('Returned to the card')} bytes={returned} />
      )}
      {held.map(({ name, bytes }) => (
        <Row
          key={name}
          name={trans.__('Still held by %1', `\`${name}\``)}
          bytes={bytes}
        />
      ))}
    </dl>
  );
}

/** Why items gave less than expected, or what else there is to know of them. */
function Reasons({ released, trans }: IResultProps): React.JSX.Element {
  const { sentence } = words(trans);
  const title = sentence(released.message);
  const reasons = released.items
    .flatMap(({ message }) => (message ? [sentence(message)] : []))
    .filter(reason => reason !== title);
  return (
    <>
      {reasons.map((reason, index) => (
        <Hint key={index} icon="info">
          <Sentence text={reason} />
        </Hint>
      ))}
    </>
  );
}

function Row(props: { name: string; bytes: number }): React.JSX.Element {
  return (
    <div>
      <dt>
        <Sentence text={props.name} />
      </dt>
      <dd>{formatBytes(props.bytes)}</dd>
    </div>
  );
}
