/*! Preact, (c) 2015-present Jason Miller, MIT license */
import { type ComponentChild, render } from 'preact';

import { keepFocus } from '../components/focus';

const drawn = new WeakSet<Element>();

/**
 * Render a view as the only content of an element.
 *
 * The script of an output uses Preact, which `scripts/frame.mjs` substitutes for React.
 */
export function draw(view: ComponentChild, host: Element): void {
  if (!drawn.has(host)) {
    host.replaceChildren();
    drawn.add(host);
  }
  keepFocus(host, () => {
    render(view, host);
  });
}
