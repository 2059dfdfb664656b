import { element } from '../components/dom/element';

/**
 * A part of the card that is closed until a person opens it, and stays open when
 * the card is drawn again.
 *
 * @param key - its name within the card
 */
export function fold(
  key: string,
  title: string,
  hint: string,
  ...content: readonly (Node | null)[]
): HTMLDetailsElement {
  const summary = element(
    'summary',
    'jp-GpuHeadroomCard-summary',
    element('span', 'jp-GpuHeadroomCard-summaryTitle', title),
    hint ? element('span', 'jp-GpuHeadroomCard-hint', hint) : null
  );
  summary.dataset.focusKey = `fold ${key}`;
  const node = element(
    'details',
    'jp-GpuHeadroomCard-fold',
    summary,
    element('div', 'jp-GpuHeadroomCard-foldBody', ...content)
  );
  node.dataset.fold = key;
  return node;
}

/**
 * The same within a text: no more than a line.
 */
export function smallFold(
  key: string,
  title: string,
  ...content: readonly (Node | null)[]
): HTMLDetailsElement {
  const node = fold(key, title, '', ...content);
  node.classList.add('jp-mod-small');
  return node;
}
