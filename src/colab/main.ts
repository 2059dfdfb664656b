/**
 * The script of an output in Google Colab. It brings every output of its document
 * to life that none has begun, and leaves nothing else in the page.
 */
import { Connection } from './connection';
import { Gauge } from './gauge';
import type { IGoogleColab } from './google';
import { Inserting } from './inserting';
import { LiveCard } from './livecard';
import { colabTransport } from './transport';

/** What an output says of itself. */
interface IOutput {
  readonly uid: string;
  readonly life_id: string;
  readonly kind: 'gauge' | 'card';
  readonly compact: boolean;
  readonly report_id: string | null;
}

/** Each output of a cell brings this script, and all share their elements. */
const STARTED = Symbol.for('gpu-headroom');

function read(host: HTMLElement): IOutput | null {
  try {
    const output = JSON.parse(
      host.dataset.gpuHeadroom ?? ''
    ) as Partial<IOutput> | null;
    return typeof output?.uid === 'string' && typeof output.life_id === 'string'
      ? (output as IOutput)
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
      isOnScreen = entries[entries.length - 1]?.isIntersecting ?? false;
      tell();
    }).observe(host);
  }
  tell();
}

function start(host: HTMLElement, colab: IGoogleColab): void {
  const transport = colabTransport(colab);
  const output = read(host);
  if (transport === null || output === null) {
    return;
  }
  const { uid, life_id, kind, compact, report_id } = output;
  const connection = new Connection(transport, uid, life_id);
  const inserting = new Inserting(colab);
  if (kind === 'gauge') {
    new Gauge(host, connection, inserting, compact);
    watch(host, isLooked => {
      connection.look(isLooked);
    });
  } else if (report_id !== null) {
    const card = new LiveCard(host, connection, inserting, {
      life_id,
      report_id
    });
    watch(host, isLooked => {
      connection.look(isLooked && !card.isOver);
    });
  }
}

const { google } = window as { google?: { colab?: IGoogleColab } };
for (const host of document.querySelectorAll<
  HTMLElement & { [STARTED]?: boolean }
>('div[data-gpu-headroom]')) {
  if (google?.colab && !host[STARTED]) {
    host[STARTED] = true;
    start(host, google.colab);
  }
}
