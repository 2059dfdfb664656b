import * as React from 'react';

import { formatBytes } from '../format';
import type { IHeldDevice } from '../protocol';
import { HolderRow } from './holderrow';
import type { IPanelProps } from './model';
import { type Column, sortBy, sortRows } from './rows';
import { Share } from './share';
import { onTreeKey } from './treegrid';
import { toRow } from './words';

interface ITableProps extends IPanelProps {
  readonly held: IHeldDevice;
}

/**
 * The holders of one device as a tree grid, and last what nobody claims.
 *
 * Of its rows one is in the tab order; the arrow keys lead to the others.
 */
export function HolderTable({ held, model }: ITableProps): React.JSX.Element {
  const { holders, sorting, trans } = model;
  const [active, setActive] = React.useState<string | null>(null);
  const isRecorded = holders?.measurement.last?.recording === true;
  const rows = sortRows(
    held.rows.map(each => toRow(each, trans)),
    sorting
  );
  const first = active ?? rows[0]?.held.id ?? REST;
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
      <Rest active={first} held={held} model={model} />
    </div>
  );
}

/** Identity of the last row, which no holder has. */
const REST = 'rest';

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

/** What is in use and was found nowhere: always there, never guessed away. */
function Rest(props: ITableProps & { active: string }): React.JSX.Element {
  const { active, held, model } = props;
  const { trans } = model;
  const bytes = held.not_attributed_bytes;
  return (
    <div
      className="jp-GpuHeadroom-gridRow"
      role="row"
      aria-level={1}
      data-id={REST}
      tabIndex={active === REST ? 0 : -1}
    >
      <span className="jp-mod-name" role="gridcell">
        <em
          title={trans.__(
            'In use, but no Python name for it could be found. Usual causes: workspaces of cuBLAS, tensors held by C++ code.'
          )}
        >
          {trans.__('not attributed')}
        </em>
      </span>
      <span className="jp-mod-size" role="gridcell">
        {formatBytes(bytes)}
      </span>
      <span className="jp-mod-share" role="gridcell">
        <Share
          segments={[{ kind: 'outside', bytes }]}
          total={held.in_use_bytes}
          trans={trans}
        />
      </span>
    </div>
  );
}
