/*! Preact, (c) 2015-present Jason Miller, MIT license */
import { type ComponentChild, render } from 'preact';

import { keepFocus } from '../components/focus';

const drawn = new WeakSet<Element>();

/**
 * Show this in an element and nothing else.
 *
 * The script of an output draws with Preact, which `scripts/frame.mjs` has stand for React.
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
