import * as React from 'react';

import { Hint } from '../components/hint';
import { Icon } from '../components/icon';
import { Sentence } from '../components/sentence';
import { hasFreed, nameHeadroom } from '../memory/released';
import type { IReleased } from '../protocol';
import { formatBytes, MIB } from '../text/format';
import { words } from '../text/messages';
import type { ITranslate } from '../text/translate';
import { Rows } from './rows';

/** Maximum number of holders named. */
const MOST_HOLDERS = 3;

/** Minimum size worth a line. */
const SMALLEST_BYTES = MIB;

interface IResultProps {
  released: IReleased;
  trans: ITranslate;
}

/** Memory freed by a release, measured before and after. */
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
  return (
    <div role="status">
      <p className="jp-GpuHeadroom-freed">
        <Icon name="check" />
        <strong>{headline(props) ?? sentence}</strong>
      </p>
      <Items {...props} />
      <Reasons {...props} />
      <p className="jp-GpuHeadroom-notice">
        {trans.__('Measured before and after.')}
      </p>
    </div>
  );
}

/** Memory freed; `null` if none that was in use was freed. */
function headline({ released, trans }: IResultProps): string | null {
  if (!hasFreed(released)) {
    return null;
  }
  const freed = formatBytes(released.freed_bytes ?? 0);
  const headroom = nameHeadroom(released);
  return headroom
    ? trans.__('Freed %1: headroom %2.', freed, headroom)
    : trans.__('Freed %1.', freed);
}

function Items({ released, trans }: IResultProps): React.JSX.Element {
  const { sentence } = words(trans);
  const { items, returned_bytes, still_held } = released;
  const given: [string, number][] = [
    ...items.map(({ title, freed_bytes }): [string, number] => [
      sentence(title),
      freed_bytes ?? 0
    ]),
    [trans.__('Returned to the GPU'), returned_bytes ?? 0]
  ];
  const held = still_held
    .slice(0, MOST_HOLDERS)
    .map(({ name, bytes }): [string, number] => [
      trans.__('Still held by %1', `\`${name}\``),
      bytes
    ]);
  const rows = given.filter(([, bytes]) => bytes >= SMALLEST_BYTES);
  return (
    <Rows
      rows={[...rows, ...held].map(([name, bytes]) => [
        name,
        formatBytes(bytes)
      ])}
    />
  );
}

/** Why items freed less than expected, and other remarks on them. */
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
