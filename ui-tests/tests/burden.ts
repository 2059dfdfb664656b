import { readdirSync, readFileSync } from 'node:fs';

import type { CDPSession, Page } from '@playwright/test';

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_S = 100;

/** What a page and its server cost at one moment. */
export interface IBurden {
  /** Minutes since the page was loaded. */
  minute: number;
  /** Bytes of JavaScript's heap after a collection. */
  heap: number;
  listeners: number;
  nodes: number;
  /** Intervals and timeouts that are due. */
  timers: number;
  /** What the page sent in a minute at rest: messages to kernels and requests. */
  sent: number;
  /** Messages of kernels in a minute at rest. */
  received: number;
  /** Percent of a processor at rest. */
  server: number;
  kernels: number;
}

/**
 * What a page costs while it lives: to be made before the page is loaded.
 */
export class Burden {
  /** @param runtime - the folder in which the server says what process it is */
  static async of(page: Page, runtime: string): Promise<Burden> {
    await page.addInitScript(countTimers);
    // galata's page only stands for the browser's own.
    const [own = page] = page.context().pages();
    const session = await page.context().newCDPSession(own);
    return new Burden(page, session, serverId(runtime));
  }

  private constructor(
    private readonly _page: Page,
    private readonly _session: CDPSession,
    private readonly _serverId: number
  ) {
    _page.on('websocket', socket => {
      socket.on('framesent', () => this._sent++);
      socket.on('framereceived', () => this._received++);
    });
    _page.on('request', () => this._sent++);
  }

  /** Measure a page that is left alone for a while. */
  async measure(rest_ms: number): Promise<IBurden> {
    const pid = this._serverId;
    const server = processorTime(pid);
    const kernels = processorTimeOfChildren(pid);
    this._sent = this._received = 0;
    await this._page.waitForTimeout(rest_ms);
    const seconds = rest_ms / 1000;
    const atRest = {
      sent: (this._sent * 60) / seconds,
      received: (this._received * 60) / seconds,
      server: (100 * (processorTime(pid) - server)) / seconds,
      kernels: (100 * (processorTimeOfChildren(pid) - kernels)) / seconds
    };
    await this._session.send('HeapProfiler.enable');
    await this._session.send('HeapProfiler.collectGarbage');
    await this._session.send('HeapProfiler.disable');
    await this._session.send('Performance.enable');
    const { metrics } = await this._session.send('Performance.getMetrics');
    const metric = (name: string): number =>
      metrics.find(each => each.name === name)?.value ?? NaN;
    return {
      minute: (Date.now() - this._began) / 60_000,
      heap: metric('JSHeapUsedSize'),
      listeners: metric('JSEventListeners'),
      nodes: metric('Nodes'),
      timers: await this._page.evaluate(
        () => (window as unknown as ICounting).timersDue.size
      ),
      ...atRest
    };
  }

  private readonly _began = Date.now();
  private _sent = 0;
  private _received = 0;
}

/** A window that counts. */
interface ICounting {
  /** The timers that are due, by their numbers. */
  timersDue: Set<number>;
}

/** In the page: keep count of what is due. */
function countTimers(): void {
  type Callback = (...args: unknown[]) => void;
  const due = new Set<number>();
  const setTimeout = window.setTimeout.bind(window);
  const setInterval = window.setInterval.bind(window);
  const clearTimeout = window.clearTimeout.bind(window);
  // Both kinds share their numbers, and either way to end one.
  const clear = (id?: number): void => {
    due.delete(id ?? 0);
    clearTimeout(id);
  };
  Object.assign(window, {
    timersDue: due,
    setTimeout: (callback: Callback, delay?: number, ...args: unknown[]) => {
      const id = setTimeout(() => {
        due.delete(id);
        callback(...args);
      }, delay);
      due.add(id);
      return id;
    },
    setInterval: (callback: Callback, delay?: number, ...args: unknown[]) => {
      const id = setInterval(callback, delay, ...args);
      due.add(id);
      return id;
    },
    clearTimeout: clear,
    clearInterval: clear
  });
}

/** The process of the server that the tests started. */
function serverId(runtime: string): number {
  const name = readdirSync(runtime).find(each =>
    /^jpserver-\d+\.json$/.test(each)
  );
  return Number(/\d+/.exec(name ?? '')?.[0]);
}

/** The words of /proc/…/stat behind the name of the program. */
function statOf(pid: number | string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf-8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return []; // it has ended meanwhile
  }
}

/** Seconds of processor time. */
function processorTime(pid: number | string): number {
  const [user = 0, system = 0] = statOf(pid).slice(11, 13).map(Number);
  return (user + system) / TICKS_PER_S;
}

function processorTimeOfChildren(pid: number): number {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && statOf(name)[1] === `${pid}`)
    .reduce((total, child) => total + processorTime(child), 0);
}
