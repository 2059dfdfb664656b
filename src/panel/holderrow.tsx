import * as React from 'react';

import { Cut } from '../components/cut';
import { formatBytes } from '../text/format';
import {
  ActionIcons,
  actionsOf,
  type IRowAction,
  searchAction
} from './holderactions';
import { Detail, HolderFacts, PartFacts } from './holderdetail';
import type { IPanelProps } from './model';
import {
  groupParts,
  type IHolderRow,
  type IPartGroup,
  type ISegment,
  segmentsOf
} from './rows';
import { Chip, Share } from './share';
import { describeShape, nameCell } from './words';

interface IRowProps extends IPanelProps {
  /** The table row that is in the tab order. */
  active: string;
  /** Whether there is a column for the cell that allocated it. */
  isRecorded: boolean;
  /** All bytes in use on the device. */
  total: number;
}

interface ILineProps extends IRowProps {
  id: string;
  level: number;
  name: React.ReactNode;
  title: string;
  chip: React.JSX.Element;
  segments: readonly ISegment[];
  made: string;
  actions: readonly IRowAction[];
}

/** One holder, with its parts when it is open. */
export function HolderRow(
  props: IRowProps & { row: IHolderRow }
): React.JSX.Element {
  const { active, model, row } = props;
  const { held, name, made } = row;
  const { holders, trans } = model;
  const isCode = held.name !== '' && held.origin !== 'traceback';
  const actions = actionsOf(held, model);
  return (
    <>
      <Line
        {...props}
        id={held.id}
        level={1}
        name={
          isCode ? (
            <code>
              <Cut name={name} />
            </code>
          ) : (
            <Cut name={name} />
          )
        }
        title={name}
        chip={<Chip kind={held.kind} trans={trans} />}
        segments={segmentsOf(held)}
        made={made}
        actions={actions}
      />
      {holders?.expanded.has(held.id) && (
        <>
          <Detail
            actions={actions}
            active={active}
            id={held.id}
            level={2}
            model={model}
          >
            <HolderFacts held={held} trans={trans} />
          </Detail>
          {/* A single part is the holder itself. */}
          {held.parts.length > 1 &&
            groupParts(held.parts).map(group => (
              <PartRow key={group.part.id} {...props} group={group} />
            ))}
        </>
      )}
    </>
  );
}

function PartRow(props: IRowProps & { group: IPartGroup }): React.JSX.Element {
  const { active, group, model } = props;
  const { bytes, count, part } = group;
  const { holders, trans } = model;
  const actions = [searchAction(part.id, model)];
  // Memory retained only by a graph is no tensor visible to the user.
  const label = part.graph ? trans.__('autograd graphs') : undefined;
  const alike = trans._n('and %1 alike', 'and %1 alike', count - 1);
  return (
    <>
      <Line
        {...props}
        id={part.id}
        level={2}
        name={
          <>
            <code>
              <Cut name={part.name || '·'} />
            </code>
            {count > 1 && ` ${alike}`}
          </>
        }
        title={[part.name, describeShape(part)].filter(Boolean).join(' ')}
        chip={<Chip kind={part.kind} label={label} trans={trans} />}
        segments={[{ kind: part.kind, bytes }]}
        made={nameCell(part.allocation_site)}
        actions={actions}
      />
      {holders?.expanded.has(part.id) && (
        <Detail
          actions={actions}
          active={active}
          id={part.id}
          level={3}
          model={model}
        >
          <PartFacts part={part} trans={trans} />
        </Detail>
      )}
    </>
  );
}

/** One expandable row of the table. */
function Line(props: ILineProps): React.JSX.Element {
  const { id, level, model, segments, total } = props;
  const { holders, trans } = model;
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  return (
    <div
      className={`jp-GpuHeadroom-gridRow${level > 1 ? ' jp-mod-part' : ''}`}
      role="row"
      aria-level={level}
      aria-expanded={holders?.expanded.has(id)}
      data-id={id}
      tabIndex={props.active === id ? 0 : -1}
      onClick={() => holders?.toggle(id)}
    >
      <span className="jp-mod-name" role="gridcell" title={props.title}>
        <span className="jp-GpuHeadroom-collapser" aria-hidden="true" />
        {props.name}
        <ActionIcons actions={props.actions} />
      </span>
      <span className="jp-mod-kind" role="gridcell">
        {props.chip}
      </span>
      <span className="jp-mod-size" role="gridcell">
        {formatBytes(bytes)}
      </span>
      <span className="jp-mod-share" role="gridcell">
        <Share segments={segments} total={total} trans={trans} />
      </span>
      {props.isRecorded && (
        <span className="jp-mod-made" role="gridcell">
          {props.made}
        </span>
      )}
    </div>
  );
}
