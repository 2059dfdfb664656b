/**
 * Announces text to screen readers, once and politely, without moving the focus.
 *
 * The region is in the page before its text, as a region added together with its text
 * is not announced. It remains as long as the page.
 */
export class Announcer {
  constructor() {
    this._node.className = 'jp-GpuHeadroom-spoken';
    this._node.setAttribute('role', 'status');
    this._node.setAttribute('aria-live', 'polite');
    document.body.append(this._node);
  }

  announce(sentence: string): void {
    this._node.textContent = sentence;
  }

  private readonly _node = document.createElement('div');
}
