/**
 * Runs in the frame of a cell's outputs: Colab's API there, as far as the script
 * of an output uses it, over a port to the page.
 */

import type { Data, FromFrame, IBeginning, ToFrame } from './bridge';

interface IMessage {
  data: unknown;
}

/** Waits for values; ends when the other side closes. */
class Stream implements AsyncIterable<IMessage> {
  push(value: IMessage): void {
    const waiting = this._waiting.shift();
    if (waiting) {
      waiting({ value, done: false });
    } else {
      this._values.push(value);
    }
  }

  end(): void {
    this._isOver = true;
    for (const waiting of this._waiting.splice(0)) {
      waiting({ value: undefined, done: true });
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<IMessage> {
    return {
      next: () => {
        const value = this._values.shift();
        if (value !== undefined) {
          return Promise.resolve({ value, done: false });
        }
        if (this._isOver) {
          return Promise.resolve({ value: undefined, done: true });
        }
        return new Promise(resolve => this._waiting.push(resolve));
      }
    };
  }

  private _isOver = false;
  private readonly _values: IMessage[] = [];
  private readonly _waiting: ((result: IteratorResult<IMessage>) => void)[] =
    [];
}

interface IComm {
  send: (data: unknown) => Promise<void>;
  close: () => void;
  messages: AsyncIterable<IMessage>;
}

type Callback = (comm: IComm, message?: IMessage) => void;

/** What is asked of the page and answered by it. */
class Calls {
  constructor(private readonly _post: (message: FromFrame) => void) {}

  make(message: (call: number) => FromFrame): Promise<unknown> {
    const call = ++this._last;
    return new Promise((resolve, reject) => {
      this._open.set(call, { resolve, reject });
      this._post(message(call));
    });
  }

  answer(call: number, value: unknown): void {
    this._open.get(call)?.resolve(value);
  }

  refuse(call: number, reason: string): void {
    this._open.get(call)?.reject(new Error(reason));
  }

  private _last = 0;
  private readonly _open = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
}

/** The frame from its first message on. */
function begin(port: MessagePort, beginning: IBeginning): void {
  const post = (message: FromFrame): void => {
    port.postMessage(message);
  };
  const calls = new Calls(post);
  const streams = new Map<string, Stream>();
  const callbacks = new Map<string, Callback>();

  const commOf = (comm: string): IComm => {
    const messages = new Stream();
    streams.set(comm, messages);
    return {
      messages,
      send: async data => {
        await calls.make(call => ({ type: 'send', call, comm, data }));
      },
      close: () => {
        post({ type: 'close', comm });
        messages.end();
      }
    };
  };

  const kernel = {
    accessAllowed: beginning.trusted,
    comms: {
      open: async (target: string, data: unknown = {}) => {
        if (!beginning.canOpen) {
          await new Promise(() => undefined);
        }
        return commOf(
          (await calls.make(call => ({
            type: 'open',
            call,
            target,
            data
          }))) as string
        );
      },
      registerTarget: (target: string, callback: Callback) => {
        callbacks.set(target, callback);
        post({ type: 'register', target });
      }
    },
    invokeFunction: (name: string, args: unknown[] = [], kwargs: Data = {}) =>
      calls.make(call => ({ type: 'invoke', call, name, args, kwargs }))
  };
  const notebook = {
    addCell: (code: string, kind: string) => {
      post({ type: 'insert', code, kind });
    }
  };
  Object.assign(globalThis, {
    google: { colab: beginning.canInsert ? { kernel, notebook } : { kernel } }
  });
  if (beginning.dark) {
    document.documentElement.setAttribute('theme', 'dark');
  }
  document.addEventListener('securitypolicyviolation', event => {
    post({ type: 'blocked', uri: event.blockedURI });
  });
  new ResizeObserver(() => {
    post({
      type: 'height',
      pixels: document.documentElement.getBoundingClientRect().height
    });
  }).observe(document.documentElement);

  port.onmessage = ({ data }: MessageEvent<ToFrame>) => {
    switch (data.type) {
      case 'answer':
        calls.answer(data.call, data.value);
        break;
      case 'refusal':
        calls.refuse(data.call, data.reason);
        break;
      case 'opened':
        callbacks.get(data.target)?.(commOf(data.comm), { data: data.data });
        break;
      case 'message':
        streams.get(data.comm)?.push({ data: data.data });
        break;
      case 'closed':
        streams.get(data.comm)?.end();
        break;
      case 'html':
        draw(data.html);
        break;
    }
  };
}

/** Add an output to the frame; its scripts run. */
function draw(html: string): void {
  const output = document.createElement('div');
  output.className = 'output';
  output.innerHTML = html;
  document.body.append(output);
  for (const inert of output.querySelectorAll('script')) {
    const script = document.createElement('script');
    script.textContent = inert.textContent;
    inert.replaceWith(script);
  }
}

window.addEventListener('message', ({ data, ports }) => {
  const [port] = ports;
  if (port) {
    begin(port, data as IBeginning);
  }
});
