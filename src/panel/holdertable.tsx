import * as React from 'react';

import { Cut } from '../components/cut';
import type { IHeldDevice, IPart } from '../protocol';
import { formatBytes } from '../text/format';
import { describeUnheld } from '../text/parts';
import { HolderRow } from './holderrow';
import type { IPanelProps } from './model';
import { type Column, sortBy, sortRows } from './rows';
import { Share } from './share';
import { onTreeKey } from '../lab/treegrid';
import { partsTold, toRow } from './words';

interface ITableProps extends IPanelProps {
  readonly held: IHeldDevice;
}

/**
 * The holders of one device as a tree grid, the last row being unattributed memory,
 * which is always listed.
 *
 * One row is in the tab order; the arrow keys move to the others.
 */
export function HolderTable({ held, model }: ITableProps): React.JSX.Element {
  const { holders, sorting, trans } = model;
  const [active, setActive] = React.useState<string | null>(null);
  const isRecorded = holders?.measurement.last?.recording === true;
  const rows = sortRows(
    held.rows.map(row => toRow(row, trans)),
    sorting
  );
  const first = active ?? rows[0]?.held.id ?? 'not_attributed';
  return (
    <div
      className={`jp-GpuHeadroom-grid${isRecorded ? ' jp-mod-recorded' : ''}`}
      role="treegrid"
      aria-label={trans.__('What holds GPU memory')}
      onFocus={({ target }) => {
        const row = target.closest<HTMLElement>('[data-id]');
        setActive(row?.dataset.id ?? null);
      }}
      onKeyDown={event => {
        onTreeKey(event, (id, isExpanded) => {
          holders?.toggle(id, isExpanded);
        });
      }}
    >
      <Titles isRecorded={isRecorded} model={model} />
      {rows.map(row => (
        <HolderRow
          key={row.held.id}
          active={first}
          isRecorded={isRecorded}
          model={model}
          row={row}
          total={held.in_use_bytes}
        />
      ))}
      {partsTold(held).map(part => (
        <Unheld
          key={part.kind}
          active={first}
          held={held}
          model={model}
          part={part}
        />
      ))}
    </div>
  );
}

function Titles({
  isRecorded,
  model
}: IPanelProps & { isRecorded: boolean }): React.JSX.Element {
  const { sorting, trans } = model;
  const order = sorting.isAscending ? 'ascending' : 'descending';
  const title = (column: Column, label: string): React.JSX.Element => (
    <span
      key={column}
      className={`jp-mod-${column}`}
      role="columnheader"
      aria-sort={column === sorting.column ? order : 'none'}
    >
      <button
        type="button"
        onClick={() => {
          model.sorting = sortBy(sorting, column);
        }}
      >
        {label}
        {column === sorting.column && (
          <span aria-hidden="true">{sorting.isAscending ? ' ▴' : ' ▾'}</span>
        )}
      </button>
    </span>
  );
  return (
    <div className="jp-GpuHeadroom-gridRow jp-mod-titles" role="row">
      {title('name', trans.__('Name'))}
      {title('kind', trans.__('Kind'))}
      {title('size', trans.__('Size'))}
      <span
        className="jp-mod-share"
        role="columnheader"
        aria-label={trans.__('Share')}
      />
      {isRecorded && title('made', trans.__('Made in'))}
    </div>
  );
}

interface IUnheldProps extends ITableProps {
  readonly active: string;
  readonly part: IPart;
}

/** Memory in use that no Python object is known to retain. */
function Unheld(props: IUnheldProps): React.JSX.Element | null {
  const { active, held, model, part } = props;
  const words = describeUnheld(part.kind, model.trans);
  return words === null ? null : (
    <div
      className="jp-GpuHeadroom-gridRow"
      role="row"
      aria-level={1}
      data-id={part.kind}
      tabIndex={active === part.kind ? 0 : -1}
    >
      <span className="jp-mod-name" role="gridcell">
        <em title={words.hint}>
          <Cut name={words.label} />
        </em>
      </span>
      <span className="jp-mod-size" role="gridcell">
        {formatBytes(part.bytes)}
      </span>
      <span className="jp-mod-share" role="gridcell">
        <Share
          segments={[{ kind: 'outside', bytes: part.bytes }]}
          total={held.in_use_bytes}
          trans={model.trans}
        />
      </span>
    </div>
  );
}
