import * as React from 'react';

import { isObject } from '../protocol';
import type { ITranslate } from '../text/translate';
import { CardNotice } from './card';

/** Of saved cards; what a newer one means by its keys nobody knows here. */
const MAJOR = 1;

const TEXT = 'text/plain';

/** Whether a newer GPU Headroom than this one has saved a card, or its stub. */
export function isNewer(data: unknown): boolean {
  return isObject(data) && parseInt(String(data.version), 10) > MAJOR;
}

/** Why a card of a newer one is not shown, over what its output says to everybody. */
export function NewerCard({
  data,
  trans
}: {
  data: Readonly<Record<string, unknown>>;
  trans: ITranslate;
}): React.JSX.Element {
  const text = data[TEXT];
  return (
    <>
      <CardNotice
        text={trans.__(
          'A newer GPU Headroom saved this card. Update the package in the environment of JupyterLab to see it; until then it stays in the notebook as it is.'
        )}
      />
      {typeof text === 'string' && <pre>{text}</pre>}
    </>
  );
}
