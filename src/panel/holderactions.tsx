import {
  deleteIcon,
  type LabIcon,
  searchIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button } from '../components/button';
import { plain } from '../text/plain';
import type { IHeld, IItem } from '../protocol';
import { words } from '../text/messages';
import { offloadIcon } from './icons';
import type { PanelModel } from './model';

/** An action on a row of the table. */
export interface IRowAction {
  readonly label: string;
  readonly icon: LabIcon;
  /** Why the action is not possible; empty if it is. */
  readonly obstacle: string;
  /** The key that presses it while its row has the focus. */
  readonly key?: string;
  readonly run: () => void;
}

/** Actions on a holder: free it if that was measured, and find what retains it. */
export function actionsOf(
  { id, name, origin }: IHeld,
  model: PanelModel
): IRowAction[] {
  const { session, trans } = model;
  const actions: IRowAction[] = [];
  // Only names can be freed individually.
  const plan = origin === 'names' ? session?.checklist : null;
  const deletion = plan?.find(({ names }) => names.includes(name));
  if (deletion) {
    actions.push({
      ...freeAction(deletion, model),
      label: trans.__('del %1', deletion.names.join(', ')),
      icon: deleteIcon,
      key: 'Delete'
    });
  }
  const offload = plan?.find(
    item => item.kind === 'offload' && item.name === name
  );
  if (offload) {
    actions.push({
      ...freeAction(offload, model),
      label: trans.__('Move to CPU'),
      icon: offloadIcon
    });
  }
  return [...actions, searchAction(id, model)];
}

function freeAction(
  item: IItem,
  { session, trans }: PanelModel
): Pick<IRowAction, 'obstacle' | 'run'> {
  const blocked = item.blocked ? words(trans).sentence(item.blocked) : '';
  return {
    obstacle: session?.isFreeing
      ? trans.__('Freeing GPU memory…')
      : plain(blocked),
    run: () => void session?.free([item])
  };
}

/** Action that finds what retains an object. */
export function searchAction(id: string, model: PanelModel): IRowAction {
  const { holders, trans } = model;
  const step = holders?.path(id)?.step ?? 'ended';
  return {
    label: trans.__('What refers to it?'),
    icon: searchIcon,
    obstacle: step !== 'ended' ? trans.__('Searching…') : '',
    run: () => {
      holders?.toggle(id, true);
      holders?.search(id);
    }
  };
}

interface IActionsProps {
  readonly actions: readonly IRowAction[];
}

/** The actions as labeled buttons, in an open row. */
export function ActionButtons({ actions }: IActionsProps): React.JSX.Element {
  return (
    <div className="jp-GpuHeadroom-actions">
      {actions.map(({ label, obstacle, run }) => (
        <span key={label} title={obstacle}>
          <Button label={label} onPress={obstacle ? null : run} />
        </span>
      ))}
    </div>
  );
}

/** The actions as icons, visible while their row is hovered or has the focus. */
export function ActionIcons({ actions }: IActionsProps): React.JSX.Element {
  return (
    <span className="jp-GpuHeadroom-rowActions">
      {actions.map(({ icon: Picture, key, label, obstacle, run }) => (
        <button
          key={label}
          type="button"
          className="jp-GpuHeadroom-iconButton"
          // The row is in the tab order, and the keys of the grid move here.
          tabIndex={-1}
          aria-label={label}
          aria-disabled={obstacle !== ''}
          data-key={key}
          title={obstacle || label}
          onClick={event => {
            event.stopPropagation();
            if (obstacle === '') {
              run();
            }
          }}
        >
          <Picture.react tag="span" />
        </button>
      ))}
    </span>
  );
}
