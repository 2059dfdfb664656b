import * as React from 'react';

import type { IGap } from '../memory/gap';
import type { ITranslate } from '../text/translate';
import { Hint } from './hint';
import type { IconName } from './icon';
import { Sentence } from './sentence';

const ICONS: Readonly<Record<IGap['kind'], IconName>> = {
  absent: 'info',
  connecting: 'clock',
  disconnected: 'struckPlug',
  off: 'info',
  problem: 'struckPlug',
  stopped: 'octagon',
  none: 'struckChip',
  idle: 'info'
};

/** Why there are no numbers: below a headline, or all in one paragraph. */
export function Gap(
  props: React.PropsWithChildren<{
    gap: IGap;
    isInline?: boolean;
    trans: ITranslate;
  }>
): React.JSX.Element {
  const { children, gap, isInline = false, trans } = props;
  const { kind, text, title } = gap;
  return (
    <>
      {!isInline && <h2 className="jp-GpuHeadroom-headline">{title}</h2>}
      <Hint icon={ICONS[kind]}>
        {isInline && <strong>{trans.__('%1.', title)}</strong>}{' '}
        <Sentence text={text} /> {children}
      </Hint>
    </>
  );
}
