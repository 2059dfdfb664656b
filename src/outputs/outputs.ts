import type { IFrameOutput } from '../protocol';
import { Connection, type IListener } from './connection';
import { findPage } from './google';
import { Inserting } from './inserting';

/**
 * Set on elements already started, since each output of a cell includes this script and
 * all share their elements.
 */
const STARTED = Symbol.for('gpu-headroom');

function read(host: HTMLElement): IFrameOutput | null {
  try {
    const output = JSON.parse(
      host.dataset.gpuHeadroom ?? ''
    ) as Partial<IFrameOutput> | null;
    return typeof output?.uid === 'string' &&
      typeof output.helper_id === 'string'
      ? (output as IFrameOutput)
      : null;
  } catch {
    return null;
  }
}

/** Report whether an element is visible, now and on each change. */
function watch(host: HTMLElement, onLook: (isLooked: boolean) => void): void {
  let isOnScreen = true;
  const tell = (): void => {
    onLook(isOnScreen && !document.hidden);
  };
  document.addEventListener('visibilitychange', tell);
  if (typeof IntersectionObserver === 'function') {
    isOnScreen = false;
    new IntersectionObserver(entries => {
      isOnScreen = entries.pop()?.isIntersecting ?? false;
      tell();
    }).observe(host);
  }
  tell();
}

/** Makes one output interactive, replacing the saved content of its element. */
type Bring = (
  host: HTMLElement,
  connection: Connection,
  inserting: Inserting,
  output: IFrameOutput
) => IListener;

/**
 * Make all outputs of a kind in the document interactive, each once. The rest of the
 * page is neither read nor changed.
 */
export function mountOutput(kind: IFrameOutput['kind'], bring: Bring): void {
  const page = findPage();
  if (page === null) {
    return;
  }
  for (const host of document.querySelectorAll<
    HTMLElement & { [STARTED]?: boolean }
  >('div[data-gpu-headroom]')) {
    const output = read(host);
    if (output?.kind !== kind || host[STARTED]) {
      continue;
    }
    host[STARTED] = true;
    const connection = new Connection(
      page.transport,
      output.uid,
      output.helper_id
    );
    connection.listener = bring(host, connection, new Inserting(page), output);
    watch(host, isLooked => {
      connection.look(isLooked);
    });
  }
}
