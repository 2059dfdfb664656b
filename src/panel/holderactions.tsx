import {
  deleteIcon,
  type LabIcon,
  searchIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button } from '../components/button';
import { plain } from '../components/notice';
import { offloadIcon } from '../icons';
import { words } from '../messages';
import type { IHeld, IItem } from '../protocol';
import type { PanelModel } from './model';

/** What can be done with a row of the table. */
export interface IRowAction {
  readonly label: string;
  readonly icon: LabIcon;
  /** Why it cannot be done; empty where it can. */
  readonly obstacle: string;
  /** The key that presses it while its row has the focus. */
  readonly key?: string;
  readonly run: () => void;
}

/**
 * What can be done with a holder: free it where that was measured, and find
 * what keeps it.
 */
export function actionsOf(held: IHeld, model: PanelModel): IRowAction[] {
  const { trans } = model;
  const deletion = itemFor(held, model, deletesName);
  const offload = itemFor(held, model, movesToCpu);
  return [
    ...(deletion
      ? [
          {
            ...freeAction(deletion, model),
            label: trans.__('del %1', deletion.names.join(', ')),
            icon: deleteIcon,
            key: 'Delete'
          }
        ]
      : []),
    ...(offload
      ? [
          {
            ...freeAction(offload, model),
            label: trans.__('Move to CPU'),
            icon: offloadIcon
          }
        ]
      : []),
    searchAction(held.id, model)
  ];
}

/** The item that a row of the table offers; nothing without a name has one. */
function itemFor(
  { name, origin }: IHeld,
  { session }: PanelModel,
  isMeant: (item: IItem, name: string) => boolean
): IItem | null {
  return origin === 'names'
    ? (session?.checklist.find(item => isMeant(item, name)) ?? null)
    : null;
}

function deletesName({ names }: IItem, name: string): boolean {
  return names.includes(name);
}

function movesToCpu(item: IItem, name: string): boolean {
  return item.kind === 'offload' && item.name === name;
}

function freeAction(
  item: IItem,
  { session, trans }: PanelModel
): Pick<IRowAction, 'obstacle' | 'run'> {
  return {
    obstacle: item.blocked ? plain(words(trans).sentence(item.blocked)) : '',
    run: () => void session?.free([item])
  };
}

/** Finds what keeps an object. */
export function searchAction(id: string, model: PanelModel): IRowAction {
  const { holders, trans } = model;
  const step = holders?.path(id);
  const isSearching = step?.kind === 'searching' || step?.kind === 'waiting';
  return {
    label: trans.__('Who holds it?'),
    icon: searchIcon,
    obstacle: isSearching ? trans.__('Searching…') : '',
    run: () => {
      holders?.toggle(id, true);
      void holders?.search(id);
    }
  };
}

/** The actions as words, where a row is open. */
export function ActionButtons(props: {
  actions: readonly IRowAction[];
}): React.JSX.Element {
  return (
    <div className="jp-GpuHeadroom-actions">
      {props.actions.map(({ label, obstacle, run }) => (
        <span key={label} title={obstacle}>
          <Button label={label} isEnabled={obstacle === ''} onPress={run} />
        </span>
      ))}
    </div>
  );
}

/** The actions as icons, seen while their row is pointed at or has the focus. */
export function ActionIcons(props: {
  actions: readonly IRowAction[];
}): React.JSX.Element {
  return (
    <span className="jp-GpuHeadroom-rowActions">
      {props.actions.map(({ icon: Picture, key, label, obstacle, run }) => (
        <button
          key={label}
          type="button"
          className="jp-GpuHeadroom-iconButton"
          // The row is in the tab order, and the keys of the grid lead here.
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
