import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Sentence } from '../components/sentence';
import { explain } from '../kernel/problem';
import type { Task } from '../kernel/task';
import type { IHeld, IHeldPart, IPath } from '../protocol';
import { formatBytes } from '../text/format';
import { words } from '../text/messages';
import { ActionButtons, type IRowAction } from './holderactions';
import { TaskWait } from '../lab/wait';
import type { PanelModel } from './model';
import { describeHolder, describeShape, nameCell } from './words';

interface IDetailProps {
  /** Id of the holder or part. */
  id: string;
  level: number;
  /** The table row that is in the tab order. */
  active: string;
  actions: readonly IRowAction[];
  model: PanelModel;
}

/** Details of one row: facts, actions, and reference paths. */
export function Detail(
  props: React.PropsWithChildren<IDetailProps>
): React.JSX.Element {
  const { actions, active, children, id, level, model } = props;
  const { holders, trans } = model;
  const rowId = `${id}/detail`;
  const search = holders?.path(id);
  return (
    <div
      className="jp-GpuHeadroom-holderDetail"
      role="row"
      aria-level={level}
      data-id={rowId}
      tabIndex={active === rowId ? 0 : -1}
    >
      <div role="gridcell">
        {children}
        <ActionButtons actions={actions} />
        <div role="status">
          {search && <Answer task={search} trans={trans} />}
        </div>
      </div>
    </div>
  );
}

/** Facts about a holder besides its size. */
export function HolderFacts(props: {
  held: IHeld;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { held, trans } = props;
  const { aliases, graph_bytes, hint, parts } = held;
  const [part] = parts;
  return (
    <>
      <p>{describeHolder(held, trans)}</p>
      {part && parts.length === 1 && <PartFacts part={part} trans={trans} />}
      {aliases.length > 0 && (
        <p>
          {trans.__('Also reached as')}{' '}
          {aliases.map((name, index) => (
            <React.Fragment key={name}>
              {index > 0 && ', '}
              <code>{name}</code>
            </React.Fragment>
          ))}
        </p>
      )}
      {graph_bytes > 0 && (
        <p>
          {trans.__(
            '%1 is retained only by the autograd graph.',
            formatBytes(graph_bytes)
          )}
        </p>
      )}
      {hint && (
        <p>
          <Sentence text={words(trans).sentence(hint)} />
        </p>
      )}
    </>
  );
}

/** Type and shape of a part, and where it was allocated. */
export function PartFacts(props: {
  part: IHeldPart;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { part, trans } = props;
  const shape = describeShape(part);
  const cell = nameCell(part.allocation_site);
  const line = part.allocation_site?.line ?? null;
  const place =
    line === null
      ? trans.__('made in %1', cell)
      : trans.__('made in %1, line %2', cell, line);
  return (
    <>
      {part.graph && (
        <p>
          {trans.__(
            'No variable refers to it: only the autograd graph retains it.'
          )}
        </p>
      )}
      {(shape || cell) && (
        <p>
          {shape && <code>{shape}</code>}
          {shape && cell && ', '}
          {cell && place}
        </p>
      )}
    </>
  );
}

function Answer(props: {
  task: Task<'path'>;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { task, trans } = props;
  return (
    <>
      <TaskWait
        task={task}
        going={trans.__('Searching…')}
        waiting={trans.__('Starts when the running cell finishes.')}
        trans={trans}
      />
      {task.problem !== null && <p>{explain(task.problem, trans)}</p>}
      {task.result && <Ways path={task.result} trans={trans} />}
    </>
  );
}

/** Reference paths to an object, each starting at its root. */
function Ways(props: {
  path: IPath;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { path, trans } = props;
  const { sentence } = words(trans);
  return (
    <>
      <p>
        <Sentence text={sentence(path.message)} />
      </p>
      <ul className="jp-GpuHeadroom-ways">
        {path.paths.map((steps, index) => (
          <li key={index}>
            {steps.map((step, at) => (
              <React.Fragment key={at}>
                {at > 0 && <span aria-hidden="true"> › </span>}
                <Sentence text={sentence(step)} />
              </React.Fragment>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}
