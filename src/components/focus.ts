/**
 * Draw what an element shows, and keep the focus in it: where what had it is gone,
 * it goes to what does the same now, else to the first that can have it, which
 * tells the result.
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
