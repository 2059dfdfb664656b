/**
 * Show these children and no others. What would look the same stays as it is, so
 * that a press of a button, the focus and a selection survive.
 */
export function redraw(
  host: HTMLElement,
  ...children: readonly (HTMLElement | null)[]
): void {
  const wanted = children.filter(child => child !== null);
  const active = document.activeElement;
  wanted.forEach((child, index) => {
    const there = host.childNodes[index];
    if (there === undefined) {
      host.append(child);
    } else if (!there.isEqualNode(child)) {
      there.replaceWith(child);
    }
  });
  while (host.childNodes.length > wanted.length) {
    host.lastChild?.remove();
  }
  if (active instanceof HTMLElement && !active.isConnected) {
    refocus(host, active.dataset.focusKey);
  }
}

/** To what does the same, else to the title. */
function refocus(host: HTMLElement, key: string | undefined): void {
  const nodes = [...host.querySelectorAll<HTMLElement>('[data-focus-key]')];
  const same = nodes.find(node => node.dataset.focusKey === key) ?? nodes[0];
  same?.focus({ preventScroll: true });
}
