import { element } from '../components/dom/element';

/** A heading within the card. */
export function heading(text: string): HTMLElement {
  return element('h4', 'jp-GpuHeadroomCard-heading', text);
}
