import type { KeyboardEvent } from 'react';

/**
 * ↑ and ↓ pick the neighbour of what is selected in a list, as a click on it
 * does, and give it the focus.
 */
export function pickNeighbour(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const options = [
    ...event.currentTarget.querySelectorAll<HTMLElement>('[aria-selected]')
  ];
  if (step && options.length > 0) {
    event.preventDefault();
    const at = options.findIndex(
      option => option.getAttribute('aria-selected') === 'true'
    );
    options[at + step]?.click();
    options[at + step]?.focus();
  }
}
