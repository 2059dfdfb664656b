/**
 * Render the content of an element and keep the focus in it: if the focused element is
 * gone, the focus moves to its replacement, else to the first focusable element, which
 * shows the result.
 */
export function keepFocus(host: Element, draw: () => void): void {
  const active = document.activeElement;
  const hadFocus = host.contains(active);
  draw();
  if (hadFocus && active instanceof HTMLElement && !active.isConnected) {
    const nodes = [...host.querySelectorAll<HTMLElement>('[data-focus-key]')];
    const { focusKey } = active.dataset;
    const same = nodes.find(node => node.dataset.focusKey === focusKey);
    (same ?? nodes[0])?.focus({ preventScroll: true });
  }
}
