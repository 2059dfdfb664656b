import * as React from 'react';

import type { IHeldDevice } from '../protocol';
import { formatBytes } from '../text/format';
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
 * The holders of one device as a tree grid, and last what nobody claims: what
 * was found nowhere is always there, never guessed away.
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
      {held.workspace_bytes > 0 && (
        <Rest
          active={first}
          bytes={held.workspace_bytes}
          held={held}
          hint={trans.__(
            'Kept by cuBLAS for its next product of matrices; told by its size.'
          )}
          id={WORKSPACES}
          label={trans.__('workspaces of cuBLAS')}
          model={model}
        />
      )}
      <Rest
        active={first}
        bytes={held.not_attributed_bytes}
        held={held}
        hint={trans.__(
          'In use, but no Python name for it could be found. Usual cause: tensors held by C++ code.'
        )}
        id={REST}
        label={trans.__('not attributed')}
        model={model}
      />
    </div>
  );
}

/** Identities of the last rows, which no holder has. */
const WORKSPACES = 'workspaces';
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

interface IRestProps extends ITableProps {
  readonly active: string;
  readonly bytes: number;
  readonly id: string;
  readonly label: string;
  readonly hint: string;
}

/** What is in use and no Python object holds, as far as is known. */
function Rest(props: IRestProps): React.JSX.Element {
  const { active, bytes, held, hint, id, label, model } = props;
  return (
    <div
      className="jp-GpuHeadroom-gridRow"
      role="row"
      aria-level={1}
      data-id={id}
      tabIndex={active === id ? 0 : -1}
    >
      <span className="jp-mod-name" role="gridcell">
        <em title={hint}>{label}</em>
      </span>
      <span className="jp-mod-size" role="gridcell">
        {formatBytes(bytes)}
      </span>
      <span className="jp-mod-share" role="gridcell">
        <Share
          segments={[{ kind: 'outside', bytes }]}
          total={held.in_use_bytes}
          trans={model.trans}
        />
      </span>
    </div>
  );
}
