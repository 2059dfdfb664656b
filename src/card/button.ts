import { element } from '../components/dom/element';
import type { ActionName, IContext } from './state';

interface IButtonOptions {
  label: string;
  action: ActionName;
  remedyId?: string;
  primary?: boolean;
  /** Stays in the tab order, so that focus is not lost, but does nothing. */
  disabled?: boolean;
}

/**
 * A button that reports its press to the card's owner.
 */
export function button(
  context: IContext,
  { label, action, remedyId, primary, disabled }: IButtonOptions
): HTMLButtonElement {
  const node = element('button', 'jp-GpuHeadroom-button', label);
  node.type = 'button';
  node.dataset.focusKey = `${action} ${remedyId ?? ''}`;
  node.classList.toggle('jp-mod-primary', primary ?? false);
  // A notebook would make the cell active and scroll: the press would end beside it.
  node.addEventListener('pointerdown', event => {
    event.preventDefault();
  });
  if (disabled) {
    node.setAttribute('aria-disabled', 'true');
  } else {
    node.addEventListener('click', () => {
      node.focus({ preventScroll: true });
      context.onAction(action, remedyId ?? null);
    });
  }
  return node;
}
