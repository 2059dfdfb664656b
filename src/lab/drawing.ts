import type { ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

import { keepFocus } from '../components/focus';

/**
 * Content of a widget, rendered with JupyterLab's React. Rendering is synchronous,
 * since an output is measured right after, and works while the widget is not attached.
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
