import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { kindClass } from '../components/bar';
import type { HolderKind } from '../protocol';
import type { ISegment } from './rows';
import { describeShare, nameKind } from './words';

/** A kind as a chip with a sample of its color. */
export function Chip(props: {
  kind: HolderKind | 'mixed';
  label?: string;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { kind, label, trans } = props;
  return (
    <span className="jp-GpuHeadroom-chip">
      {kind !== 'mixed' && <span className={kindClass(kind)} />}
      {label ?? nameKind(kind, trans)}
    </span>
  );
}

/** A bar of the share of all memory in use. */
export function Share(props: {
  segments: readonly ISegment[];
  total: number;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { segments, total, trans } = props;
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  return (
    <span
      className="jp-GpuHeadroom-share"
      role="img"
      aria-label={describeShare(bytes, total, trans)}
    >
      {segments.map(segment => (
        <span
          key={segment.kind}
          className={kindClass(segment.kind)}
          style={{ width: `${(100 * segment.bytes) / Math.max(total, 1)}%` }}
        />
      ))}
    </span>
  );
}
