/** Hide the page, as by another tab, or show it again. */
export function setHidden(hidden: boolean): void {
  const state = hidden ? 'hidden' : 'visible';
  Object.defineProperties(document, {
    hidden: { value: hidden, configurable: true },
    visibilityState: { value: state, configurable: true }
  });
  document.dispatchEvent(new Event('visibilitychange'));
}
