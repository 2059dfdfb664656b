import type { KeyboardEvent } from 'react';

/**
 * Keyboard handler of a tree grid whose rows can have the focus and have their identity
 * in `data-id`: up and down, Home and End move to other rows; right and left open and
 * close a row; Enter opens a row, then presses its first button; a button's `data-key`
 * names another key that presses it.
 *
 * See the pattern "treegrid" of the ARIA Authoring Practices Guide.
 *
 * @param toggle - opens or closes the row of an identity
 */
export function onTreeKey(
  event: KeyboardEvent<HTMLElement>,
  toggle: (id: string, isExpanded: boolean) => void
): void {
  const rows = [
    ...event.currentTarget.querySelectorAll<HTMLElement>('[data-id]')
  ];
  const at = rows.findIndex(row => row.contains(event.target as Node));
  const row = rows[at];
  if (!row) {
    return;
  }
  const action = keyAction(event.key, rows, at, toggle);
  const isOwn = event.target === row || event.key !== 'Enter';
  if (action && isOwn) {
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}

function keyAction(
  key: string,
  rows: readonly HTMLElement[],
  at: number,
  toggle: (id: string, isExpanded: boolean) => void
): (() => void) | null {
  const row = rows[at];
  const state = row?.getAttribute('aria-expanded');
  const move = (to: number) => () => {
    rows[to]?.focus();
  };
  const set = (isExpanded: boolean) => () => {
    toggle(row?.dataset.id ?? '', isExpanded);
  };
  switch (key) {
    case 'ArrowUp':
      return move(at - 1);
    case 'ArrowDown':
      return move(at + 1);
    case 'Home':
      return move(0);
    case 'End':
      return move(rows.length - 1);
    case 'ArrowRight':
      return state === 'false' ? set(true) : null;
    case 'ArrowLeft':
      return state === 'true' ? set(false) : move(parentOf(rows, at));
    case 'Enter':
      return state === 'false' ? set(true) : press(rows.slice(at, at + 2));
    default:
      return pressBy(key, row);
  }
}

/** Return a function that presses the first button of a row, else of its detail row. */
function press(rows: readonly HTMLElement[]): () => void {
  return () => {
    rows
      .map(row => row.querySelector('button'))
      .find(button => button !== null)
      ?.click();
  };
}

/** Return a function that presses the button of a row with its own key. */
function pressBy(
  key: string,
  row: HTMLElement | undefined
): (() => void) | null {
  const buttons = [
    ...(row?.querySelectorAll<HTMLElement>('button[data-key]') ?? [])
  ];
  const button = buttons.find(({ dataset }) => dataset.key === key);
  return button
    ? () => {
        button.click();
      }
    : null;
}

/** The nearest row above that has children; the row itself if there is none. */
function parentOf(rows: readonly HTMLElement[], at: number): number {
  const level = (index: number): number =>
    Number(rows[index]?.getAttribute('aria-level') ?? 1);
  for (let index = at - 1; index >= 0; index--) {
    if (level(index) < level(at)) {
      return index;
    }
  }
  return at;
}
