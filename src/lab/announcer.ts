/**
 * Says something to screen readers, once and politely, without moving the focus.
 *
 * The region is in the page before the text is: a region that comes with its
 * text is not read out. It stays as long as the page.
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
