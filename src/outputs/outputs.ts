import type { IFrameOutput } from '../protocol';
import { Connection, type IListener } from './connection';
import { findPage } from './google';
import { Inserting } from './inserting';

/** Each output of a cell brings this script, and all share their elements. */
const STARTED = Symbol.for('gpu-headroom');

function read(host: HTMLElement): IFrameOutput | null {
  try {
    const output = JSON.parse(
      host.dataset.gpuHeadroom ?? ''
    ) as Partial<IFrameOutput> | null;
    return typeof output?.uid === 'string' && typeof output.life_id === 'string'
      ? (output as IFrameOutput)
      : null;
  } catch {
    return null;
  }
}

/** Tell whether a person sees an element, and whenever that changes. */
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

/** Brings one output to life, over what is saved in its element. */
type Bring = (
  host: HTMLElement,
  connection: Connection,
  inserting: Inserting,
  output: IFrameOutput
) => IListener;

/**
 * Bring every output of a kind to life that the document has and none has begun.
 * Nothing else of the page is touched, and nothing is left in it.
 */
export function bringToLife(kind: IFrameOutput['kind'], bring: Bring): void {
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
      output.life_id
    );
    connection.listener = bring(host, connection, new Inserting(page), output);
    watch(host, isLooked => {
      connection.look(isLooked);
    });
  }
}
