import { element } from '../components/dom/element';

/** A button of a gauge, told apart from others by its label. */
export function button(
  label: string,
  onPress: () => void,
  isPrimary = false
): HTMLButtonElement {
  const node = element(
    'button',
    `jp-GpuHeadroom-button${isPrimary ? ' jp-mod-primary' : ''}`,
    label
  );
  node.type = 'button';
  node.dataset.focusKey = label;
  node.addEventListener('click', onPress);
  return node;
}
