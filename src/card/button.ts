import { element } from '../components/dom/element';
import { type IContext, type IOffer, isUnderWay, stateOf } from './state';

/**
 * A button that reports its press to the card's owner. While its remedy is under way
 * it stays in the tab order, so that focus is not lost, but does nothing.
 */
export function button(
  context: IContext,
  { label, action, remedyId, primary }: IOffer
): HTMLButtonElement {
  const node = element('button', 'jp-GpuHeadroom-button', label);
  node.type = 'button';
  node.dataset.focusKey = `${action} ${remedyId ?? ''}`;
  node.classList.toggle('jp-mod-primary', primary ?? false);
  // A notebook would make the cell active and scroll: the press would end beside it.
  node.addEventListener('pointerdown', event => {
    event.preventDefault();
  });
  const isResting =
    action !== 'cancel' &&
    remedyId !== undefined &&
    isUnderWay(stateOf(context, remedyId));
  if (isResting) {
    node.setAttribute('aria-disabled', 'true');
  } else {
    node.addEventListener('click', () => {
      node.focus({ preventScroll: true });
      context.onAction(action, remedyId ?? null);
    });
  }
  return node;
}

/** Buttons in a row. */
export function buttons(
  context: IContext,
  offers: readonly IOffer[]
): HTMLElement {
  const nodes = offers.map(offer => button(context, offer));
  return element('div', 'jp-GpuHeadroom-actions', ...nodes);
}
