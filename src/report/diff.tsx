import * as React from 'react';

import type { IDiff, IDiffRow, IRemedy, IReport } from '../protocol';
import { formatPrompt } from '../text/format';
import { Fold } from './fold';
import type { IContext } from './state';

/** Maximum number of rows of one diff, and how many of them are not folded. */
const MAX_ROWS = 60;
const MAX_OPEN = 12;

/** Maximum number of cells of one edit. */
const MAX_CELLS = 10;

/** Display name of what a change edits: `In [2]`, `main.py`. */
export function nameOf({ execution_count, file }: IDiff): string {
  return file ?? formatPrompt(execution_count);
}

/** Whether any of these changes edits something other than the failed cell. */
export function isElsewhere(
  { cell_id }: IReport,
  diffs: readonly IDiff[]
): boolean {
  return diffs.some(diff => diff.cell_id !== cell_id);
}

/**
 * The lines that an edit would change, under the name of their cell or file unless only
 * the failed cell changes.
 */
export function Diffs(
  props: IContext & { remedy: IRemedy }
): React.JSX.Element {
  const { remedy, report } = props;
  const isNamed = isElsewhere(report, remedy.diffs);
  return (
    <>
      {remedy.diffs.slice(0, MAX_CELLS).map((diff, index) => (
        <Diff
          key={index}
          {...props}
          diff={diff}
          title={isNamed ? nameOf(diff) : ''}
          name={`rows ${remedy.id} ${index}`}
        />
      ))}
    </>
  );
}

function Diff(
  props: IContext & { diff: IDiff; title: string; name: string }
): React.JSX.Element {
  const { diff, name, title, trans } = props;
  const rows = diff.rows.slice(0, MAX_ROWS);
  const rest = rows.splice(MAX_OPEN);
  const label = trans.__('Change to the code');
  return (
    <div
      className="jp-GpuHeadroomReport-diff"
      role="group"
      aria-label={title ? `${label}, ${title}` : label}
    >
      {title && <div className="jp-GpuHeadroomReport-diffCell">{title}</div>}
      <Rows {...props} rows={rows} />
      {rest.length > 0 && (
        <Fold
          name={name}
          opened={props.opened}
          title={trans.__('%1 more lines', String(rest.length))}
          isSmall
        >
          <Rows {...props} rows={rest} />
        </Fold>
      )}
    </div>
  );
}

const MODIFIERS = { '-': 'jp-mod-removed', '+': 'jp-mod-added', ' ': '' };

/** Signs are words for screen readers. */
function Rows({
  rows,
  trans
}: IContext & { rows: readonly IDiffRow[] }): React.JSX.Element {
  const spoken = {
    '-': trans.__('removed'),
    '+': trans.__('added'),
    ' ': ''
  };
  return (
    <div className="jp-GpuHeadroomReport-diffRows" tabIndex={0}>
      {rows.map(({ sign, line, text }, index) => (
        <div
          key={index}
          className={`jp-GpuHeadroomReport-diffRow ${MODIFIERS[sign]}`}
        >
          {spoken[sign] && (
            <span className="jp-GpuHeadroom-spoken">{`${spoken[sign]} `}</span>
          )}
          <span className="jp-GpuHeadroomReport-diffLine">{line}</span>
          <span className="jp-GpuHeadroomReport-diffSign" aria-hidden="true">
            {sign}
          </span>
          <code>{text.slice(0, 500)}</code>
        </div>
      ))}
    </div>
  );
}
