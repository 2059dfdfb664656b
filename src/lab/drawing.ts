import type { ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

import { keepFocus } from '../components/focus';

/**
 * What a widget shows, drawn by JupyterLab's React: at once, as an output is
 * measured when it was drawn, and also while the widget is not on the page.
 */
export class Drawing {
  constructor(private readonly _host: HTMLElement) {
    this._root = createRoot(_host);
  }

  draw(view: ReactElement): void {
    keepFocus(this._host, () => {
      flushSync(() => {
        this._root.render(view);
      });
    });
  }

  dispose(): void {
    this._root.unmount();
  }

  private readonly _root;
}
