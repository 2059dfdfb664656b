import * as React from 'react';

import { Cut } from '../components/cut';
import { Icon } from '../components/icon';
import { WorkerBar } from '../components/workerbar';
import { Adapting } from '../lab/adapting';
import { onTreeKey } from '../lab/treegrid';
import { describeUse, nameCard, nameCardWorker } from '../memory/workerwords';
import { formatBytes } from '../text/format';
import type { IWorkersProps } from './props';
import { type Row, rowsOf } from './rows';
import { WorkerDetail } from './workerdetail';
import { describeState } from './words';

interface ITreeProps extends IWorkersProps {
  /** The numbers are old. */
  isStale: boolean;
}

interface IRowProps<K extends Row['kind']> extends ITreeProps {
  row: Extract<Row, { kind: K }>;
  /** Of all rows one is in the tab order. */
  tabIndex: number;
}

/**
 * Hosts, cards and workers as a tree grid. Of its rows one is in the tab order; the
 * arrow keys lead to the others.
 */
export function CardTree(props: ITreeProps): React.JSX.Element | null {
  const { trans, workers } = props;
  const [active, setActive] = React.useState<string | null>(null);
  const rows = rowsOf(workers);
  const [first] = rows;
  if (!first) {
    return null;
  }
  const reached = rows.find(({ id }) => id === active) ?? first;
  return (
    <div
      className="jp-GpuHeadroom-workerTree"
      role="treegrid"
      aria-label={trans.__('GPUs of the workers')}
      onFocus={({ target }) => {
        const row = target.closest<HTMLElement>('[data-id]');
        setActive(row?.dataset.id ?? null);
      }}
      onKeyDown={event => {
        onTreeKey(event, (id, isExpanded) => {
          toggle(props, rows, id, isExpanded);
        });
      }}
    >
      {rows.map(row => (
        <AnyRow
          key={row.id}
          {...props}
          row={row}
          tabIndex={row === reached ? 0 : -1}
        />
      ))}
    </div>
  );
}

/** Open or close what a row stands for. */
function toggle(
  { workers }: ITreeProps,
  rows: readonly Row[],
  id: string,
  isExpanded: boolean
): void {
  const row = rows.find(each => each.id === id);
  if (row?.kind === 'host') {
    workers.look({ host: isExpanded ? row.host.name : null });
  } else if (row?.kind === 'worker') {
    workers.toggle(id, isExpanded);
  }
}

function AnyRow(props: IRowProps<Row['kind']>): React.JSX.Element {
  const { row } = props;
  switch (row.kind) {
    case 'host':
      return <HostRow {...props} row={row} />;
    case 'card':
      return <CardRow {...props} row={row} />;
    case 'worker':
      return <WorkerRow {...props} row={row} />;
    case 'detail':
      return <DetailRow {...props} row={row} />;
    case 'more':
      return <MoreRow {...props} row={row} />;
  }
}

/** What all rows are; one that opens and closes does so by a click. */
function TreeRow(
  props: React.PropsWithChildren<IRowProps<Row['kind']>> & { className: string }
): React.JSX.Element {
  const { children, className, row, tabIndex } = props;
  const opens = 'isOpen' in row;
  return (
    <div
      className={className}
      role="row"
      aria-level={row.level}
      aria-expanded={opens ? row.isOpen : undefined}
      data-id={row.id}
      tabIndex={tabIndex}
      onClick={() => {
        if (opens) {
          toggle(props, [row], row.id, !row.isOpen);
        }
      }}
    >
      {children}
    </div>
  );
}

function HostRow(props: IRowProps<'host'>): React.JSX.Element {
  const { row, trans } = props;
  const { cards, fullest_share, name, workers } = row.host;
  return (
    <TreeRow {...props} className="jp-GpuHeadroom-host">
      <span className="jp-mod-name" role="gridcell" title={name}>
        <span className="jp-GpuHeadroom-collapser" aria-hidden="true" />
        <strong>
          <Cut name={name} />
        </strong>
      </span>
      <span className="jp-mod-facts" role="gridcell">
        {[
          trans._n('%1 GPU', '%1 GPUs', cards),
          trans._n('%1 worker', '%1 workers', workers)
        ].join(', ')}
      </span>
      <span className="jp-mod-size" role="gridcell">
        {fullest_share !== null &&
          trans.__('fullest %1%', Math.round(100 * fullest_share))}
      </span>
    </TreeRow>
  );
}

function CardRow(props: IRowProps<'card'>): React.JSX.Element {
  const { isStale, row, trans } = props;
  const { card, isNamed } = row;
  const { host, index, name, simulated } = card;
  const about = isNamed ? host : simulated || index === null ? null : name;
  return (
    <TreeRow {...props} className="jp-GpuHeadroom-workerCard">
      <span className="jp-mod-name" role="gridcell">
        {simulated && <Icon name="flask" />}
        <strong>
          <Adapting
            long={nameCard(card, trans)}
            short={nameCard({ ...card, simulated: false }, trans)}
          />
        </strong>
        {about && (
          <span
            className={isNamed ? 'jp-mod-where' : 'jp-mod-model'}
            title={about}
          >
            <Cut name={about} />
          </span>
        )}
      </span>
      <span className="jp-mod-bar" role="gridcell">
        <WorkerBar card={card} isStale={isStale} size="small" trans={trans} />
      </span>
      <span className="jp-mod-size" role="gridcell">
        {describeUse(card, trans)}
      </span>
    </TreeRow>
  );
}

function WorkerRow(props: IRowProps<'worker'>): React.JSX.Element {
  const { row, trans } = props;
  const { worker } = row;
  const name = nameCardWorker(worker, trans);
  return (
    <TreeRow
      {...props}
      className={`jp-GpuHeadroom-worker jp-mod-${worker.state}`}
    >
      <span className="jp-mod-name" role="gridcell" title={name}>
        <span className="jp-GpuHeadroom-collapser" aria-hidden="true" />
        <Cut name={name} />
      </span>
      <span className="jp-mod-facts" role="gridcell">
        {describeState(worker, trans)}
      </span>
      <span className="jp-mod-size" role="gridcell">
        {formatBytes(worker.in_use_bytes)}
      </span>
    </TreeRow>
  );
}

function DetailRow(props: IRowProps<'detail'>): React.JSX.Element {
  const { row } = props;
  return (
    <TreeRow {...props} className="jp-GpuHeadroom-workerDetail">
      <div role="gridcell">
        <WorkerDetail {...props} card={row.card} worker={row.worker} />
      </div>
    </TreeRow>
  );
}

function MoreRow(props: IRowProps<'more'>): React.JSX.Element {
  const { row, trans } = props;
  return (
    <TreeRow {...props} className="jp-GpuHeadroom-worker jp-mod-more">
      <span className="jp-mod-name" role="gridcell">
        {trans._n('and %1 worker', 'and %1 workers', row.count)}
      </span>
    </TreeRow>
  );
}
