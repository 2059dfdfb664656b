import type { Page, WebSocket } from '@playwright/test';

/** What was sent to one kernel. */
export interface ISent {
  /** Requests to a helper. */
  requests: number;
  /** When each of them was sent, in milliseconds. */
  times: number[];
  /** Characters of all execute requests that no cell made. */
  silent: number[];
}

/**
 * What a page sends to its kernels, by their ids, from its next load on.
 */
export class Traffic {
  constructor(page: Page) {
    page.on('websocket', socket => {
      this._follow(socket);
    });
  }

  /** What was sent to a kernel. */
  to(kernelId = ''): ISent {
    const sent = this._sent.get(kernelId) ?? {
      requests: 0,
      times: [],
      silent: []
    };
    this._sent.set(kernelId, sent);
    return sent;
  }

  /** Count the requests to all helpers anew. */
  restart(): void {
    this._sent.clear();
  }

  /** Requests to all helpers. */
  get requests(): number {
    return [...this._sent.values()].reduce(
      (total, { requests }) => total + requests,
      0
    );
  }

  private _follow(socket: WebSocket): void {
    const [, id] = /\/api\/kernels\/([^/]+)\/channels/.exec(socket.url()) ?? [];
    socket.on('framesent', ({ payload }) => {
      const text = payload.toString();
      const sent = this.to(id);
      if (text.includes('"gpuHeadroom"')) {
        sent.requests++;
        sent.times.push(Date.now());
      }
      if (text.includes('"execute_request"') && /"silent": ?true/.test(text)) {
        sent.silent.push(text.length);
      }
    });
  }

  private readonly _sent = new Map<string | undefined, ISent>();
}

/** As a browser does when another tab is shown. */
export async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(isHidden => {
    const state = isHidden ? 'hidden' : 'visible';
    Object.defineProperties(document, {
      hidden: { value: isHidden, configurable: true },
      visibilityState: { value: state, configurable: true }
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}
