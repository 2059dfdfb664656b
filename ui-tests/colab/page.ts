/**
 * Runs in the page: a notebook that speaks the Jupyter protocol with its kernel,
 * shows text itself and HTML in one frame for each cell, and stands between the
 * frames and the kernel as Colab's page does.
 */

import type {
  Data,
  Delivery,
  FromFrame,
  IBeginning,
  IColab,
  IOutput,
  IRun,
  ISavedCell,
  ISent,
  ToFrame
} from './bridge';

interface IMessage {
  header: { msg_id: string; msg_type: string };
  parent_header: { msg_id?: string };
  content: Data;
  channel: string;
}

/** What becomes of what the kernel says to a request. */
interface IRequest {
  cell?: Cell;
  reply?: (content: Data) => void;
  idle?: () => void;
}

const OUTPUTS = ['stream', 'display_data', 'execute_result', 'error'];

const parameters = new URLSearchParams(location.search);
const parameter = (name: string): string => parameters.get(name) ?? '';

const KERNEL = `${parameter('server')}/api/kernels/${parameter('kernel')}`;
const DELIVERY = parameter('delivery') as Delivery;

/** The connection to the kernel. */
class Connection {
  constructor() {
    this.ready = new Promise(resolve => {
      this._socket.onopen = () => {
        resolve();
      };
    });
    this._socket.onmessage = ({ data }: MessageEvent<string>) => {
      this._receive(JSON.parse(data) as IMessage);
    };
  }

  readonly ready: Promise<void>;

  /** Comm messages of the kernel, with whether their request is under way. */
  onComm: (message: IMessage, isUnderWay: boolean) => void = () => undefined;

  /** Prints whose request was no cell's. */
  readonly strays: string[] = [];

  send(
    channel: 'shell' | 'stdin',
    type: string,
    content: Data,
    request: IRequest = {},
    metadata: Data = {}
  ): void {
    const id = crypto.randomUUID();
    if (channel === 'shell') {
      this._underWay.add(id);
      this._requests.set(id, request);
    }
    const header = {
      msg_id: id,
      msg_type: type,
      username: '',
      session: this._session,
      date: new Date().toISOString(),
      version: '5.3'
    };
    this._socket.send(
      JSON.stringify({ header, parent_header: {}, metadata, content, channel })
    );
  }

  /** What is under way is not answered any more. */
  forget(): void {
    this._underWay.clear();
  }

  /**
   * A kernel that begins may lose what it is sent, and what it says before it is heard
   * again: it is asked until it answers and is heard to have done so.
   */
  untilAnswered(): Promise<void> {
    return new Promise(resolve => {
      const timer = window.setInterval(() => {
        let hasReply = false;
        this.send(
          'shell',
          'kernel_info_request',
          {},
          {
            reply: () => {
              hasReply = true;
            },
            idle: () => {
              if (hasReply) {
                window.clearInterval(timer);
                resolve();
              }
            }
          }
        );
      }, 500);
    });
  }

  private _receive(message: IMessage): void {
    const parent = message.parent_header.msg_id ?? '';
    const request = this._requests.get(parent);
    const type = message.header.msg_type;
    if (message.channel === 'shell') {
      request?.reply?.(message.content);
    } else if (message.channel === 'stdin') {
      notebook.ask();
    } else if (type === 'status') {
      if (message.content.execution_state === 'idle') {
        this._underWay.delete(parent);
        request?.idle?.();
      }
    } else if (type.startsWith('comm_')) {
      this.onComm(message, this._underWay.has(parent));
    } else if (type === 'clear_output') {
      request?.cell?.clear();
    } else if (OUTPUTS.includes(type)) {
      if (request?.cell) {
        request.cell.take({ type, content: message.content });
      } else {
        this.strays.push(JSON.stringify(message.content));
      }
    }
  }

  private readonly _session = crypto.randomUUID();
  private readonly _requests = new Map<string, IRequest>();
  private readonly _underWay = new Set<string>();
  private readonly _socket = new WebSocket(
    `${KERNEL.replace(/^http/, 'ws')}/channels?session_id=${this._session}`
  );
}

/** The frame of one cell's outputs, and what it asks of the kernel. */
class OutputFrame {
  constructor(
    place: Element,
    private readonly _cell: string,
    trusted: boolean
  ) {
    const { port1, port2 } = new MessageChannel();
    this._port = port1;
    this._port.onmessage = ({ data }: MessageEvent<FromFrame>) => {
      this._receive(data);
    };
    this._element.setAttribute(
      'sandbox',
      'allow-scripts allow-forms allow-modals allow-popups allow-downloads allow-same-origin'
    );
    if (parameter('copying') === 'yes') {
      this._element.allow = 'clipboard-write';
    }
    this._element.src = parameter('frame');
    const beginning: IBeginning = {
      trusted,
      dark: parameter('theme') === 'dark',
      canInsert: parameter('inserting') === 'yes',
      canOpen: parameter('opening') === 'yes'
    };
    this._element.onload = () => {
      this._element.contentWindow?.postMessage(beginning, '*', [port2]);
    };
    place.append(this._element);
  }

  post(message: ToFrame): void {
    if (message.type === 'opened' || message.type === 'message') {
      notebook.heard[this._cell] = (notebook.heard[this._cell] ?? 0) + 1;
    }
    this._port.postMessage(message);
  }

  /** The cell runs again: whatever the frame was is gone, and says no word. */
  remove(): void {
    this._element.remove();
    this._port.close();
    routes.leave(this);
  }

  private _receive(message: FromFrame): void {
    switch (message.type) {
      case 'open': {
        const comm = crypto.randomUUID();
        routes.comms.set(comm, this);
        this._note('open', message.data);
        connection.send('shell', 'comm_open', {
          comm_id: comm,
          target_name: message.target,
          data: message.data
        });
        this.post({ type: 'answer', call: message.call, value: comm });
        break;
      }
      case 'send':
        this._note('send', message.data);
        connection.send(
          'shell',
          'comm_msg',
          { comm_id: message.comm, data: message.data },
          {
            idle: () => {
              this.post({ type: 'answer', call: message.call, value: null });
            }
          }
        );
        break;
      case 'close':
        routes.comms.delete(message.comm);
        this._note('close', null);
        connection.send('shell', 'comm_close', {
          comm_id: message.comm,
          data: {}
        });
        break;
      case 'register':
        routes.targets.set(message.target, this);
        break;
      case 'invoke':
        this._note('invoke', message.args);
        this._invoke(message);
        break;
      case 'insert':
        notebook.insert(message.code, this._cell);
        break;
      case 'height':
        this._element.style.height = `${Math.ceil(message.pixels)}px`;
        break;
      case 'blocked':
        notebook.blocked.push(message.uri);
        break;
    }
  }

  /** A function of the kernel is called by an expression beside an empty cell. */
  private _invoke(message: FromFrame & { type: 'invoke' }): void {
    const { call, name, args, kwargs } = message;
    const given = [name, JSON.stringify(args), JSON.stringify(kwargs)]
      .map(argument => JSON.stringify(argument))
      .join(', ');
    const result = `__import__("google.colab.output", fromlist=["_"])._invoke(${given})`;
    connection.send(
      'shell',
      'execute_request',
      {
        code: '',
        silent: false,
        store_history: false,
        user_expressions: { result },
        allow_stdin: false,
        stop_on_error: false
      },
      {
        reply: content => {
          const expressions = content.user_expressions as
            | { result?: { status: string; data?: Data; evalue?: string } }
            | undefined;
          const said = expressions?.result;
          if (said?.status === 'ok') {
            this.post({ type: 'answer', call, value: { data: said.data } });
          } else {
            const reason = said?.evalue ?? 'The request was aborted.';
            this.post({ type: 'refusal', call, reason });
          }
        }
      }
    );
  }

  private _note(type: ISent['type'], data: unknown): void {
    notebook.sent.push({ cell: this._cell, type, data });
  }

  private readonly _element = document.createElement('iframe');
  private readonly _port: MessagePort;
}

/** Which frame has which comm and which target, and what found none. */
const routes = {
  comms: new Map<string, OutputFrame>(),
  targets: new Map<string, OutputFrame>(),
  dropped: 0,
  unclaimed: [] as string[],

  leave(frame: OutputFrame): void {
    for (const map of [this.comms, this.targets]) {
      for (const [name, owner] of map) {
        if (owner === frame) {
          map.delete(name);
        }
      }
    }
  },

  deliver({ header, content }: IMessage, isUnderWay: boolean): void {
    if (DELIVERY === 'strict' && !isUnderWay) {
      this.dropped++;
      return;
    }
    const comm = content.comm_id as string;
    const data = content.data;
    if (header.msg_type === 'comm_open') {
      const target = content.target_name as string;
      const frame = this.targets.get(target);
      if (frame) {
        this.comms.set(comm, frame);
        frame.post({ type: 'opened', comm, target, data });
      } else {
        this.unclaimed.push(target);
      }
    } else if (header.msg_type === 'comm_msg') {
      this.comms.get(comm)?.post({ type: 'message', comm, data });
    } else {
      this.comms.get(comm)?.post({ type: 'closed', comm });
      this.comms.delete(comm);
    }
  }
};

/** A cell: its source, and below it what running it put out. */
class Cell {
  constructor(
    readonly name: string,
    readonly source: string
  ) {
    this.element.id = name;
    this.element.className = 'cell';
    const code = document.createElement('pre');
    code.className = 'source';
    code.textContent = source;
    this._outputs.className = 'outputs';
    this.element.append(code, this._outputs);
  }

  readonly element = document.createElement('section');
  readonly outputs: IOutput[] = [];

  /** The end of the last run. */
  ended: Promise<IRun> | null = null;

  runs = false;

  run(): void {
    this.clear();
    this.runs = true;
    this.ended = new Promise(resolve => {
      let run: IRun | null = null;
      let isIdle = false;
      // The reply and the end of the outputs come by ways of their own.
      const settle = (): void => {
        if (run && isIdle) {
          this.runs = false;
          resolve(run);
        }
      };
      connection.send(
        'shell',
        'execute_request',
        {
          code: this.source,
          silent: false,
          store_history: true,
          user_expressions: {},
          allow_stdin: true,
          stop_on_error: true
        },
        {
          cell: this,
          reply: content => {
            const count = content.execution_count as number | undefined;
            run = {
              status: content.status as string,
              executionCount: count ?? null
            };
            settle();
          },
          idle: () => {
            isIdle = true;
            settle();
          }
        },
        { colab: { cell_id: this.name } }
      );
    });
  }

  clear(): void {
    this._frame?.remove();
    this._frame = null;
    this._outputs.replaceChildren();
    this.outputs.length = 0;
  }

  take(output: IOutput, trusted = true): void {
    this.outputs.push(output);
    const { data, text, traceback } = output.content as {
      data?: Record<string, string>;
      text?: string;
      traceback?: string[];
    };
    const html = data?.['text/html'];
    if (html !== undefined) {
      this._frame ??= new OutputFrame(this._outputs, this.name, trusted);
      this._frame.post({ type: 'html', html });
      return;
    }
    const shown = document.createElement('pre');
    const words = text ?? traceback?.join('\n') ?? data?.['text/plain'] ?? '';
    // A terminal's colours.
    shown.textContent = words.replace(/\u001b\[[\d;]*m/g, '');
    this._outputs.append(shown);
  }

  private readonly _outputs = document.createElement('div');
  private _frame: OutputFrame | null = null;
}

/** The cells, and what the tests are told. */
class Notebook implements IColab {
  readonly sent: ISent[] = [];
  readonly heard: Record<string, number> = {};
  readonly blocked: string[] = [];

  get ready(): Promise<void> {
    return connection.ready;
  }

  get dropped(): number {
    return routes.dropped;
  }

  get unclaimed(): string[] {
    return routes.unclaimed;
  }

  get strays(): string[] {
    return connection.strays;
  }

  add(source: string): string {
    return this._place(source, null).name;
  }

  /** Add a cell below another one. */
  insert(source: string, below: string): void {
    this._place(source, this._cell(below));
  }

  run(cell: string): void {
    this._cell(cell).run();
  }

  runs(cell: string): boolean {
    return this._cell(cell).runs;
  }

  ended(cell: string): Promise<IRun> {
    const { ended } = this._cell(cell);
    return ended ?? Promise.reject(new Error(`${cell} has not run.`));
  }

  cells(): string[] {
    return [...document.querySelectorAll('.cell')].map(({ id }) => id);
  }

  source(cell: string): string {
    return this._cell(cell).source;
  }

  outputs(cell: string): IOutput[] {
    return this._cell(cell).outputs;
  }

  answer(text: string): void {
    this._answers.push(text);
    this._reply();
  }

  /** A cell waits for `input()`. */
  ask(): void {
    this._asked++;
    this._reply();
  }

  async interrupt(): Promise<void> {
    await fetch(`${KERNEL}/interrupt`, { method: 'POST' });
  }

  async restart(): Promise<void> {
    connection.forget();
    await fetch(`${KERNEL}/restart`, { method: 'POST' });
    await connection.untilAnswered();
  }

  save(): ISavedCell[] {
    return this.cells().map(name => ({
      source: this.source(name),
      outputs: this.outputs(name)
    }));
  }

  show(cells: ISavedCell[]): void {
    for (const { source, outputs } of cells) {
      const cell = this._place(source, null);
      for (const output of outputs) {
        cell.take(output, false);
      }
    }
  }

  private _reply(): void {
    const [value] = this._answers;
    if (this._asked > 0 && value !== undefined) {
      this._asked--;
      this._answers.shift();
      connection.send('stdin', 'input_reply', { status: 'ok', value });
    }
  }

  private _cell(name: string): Cell {
    const cell = this._cells.get(name);
    if (!cell) {
      throw new Error(`There is no cell ${name}.`);
    }
    return cell;
  }

  private _place(source: string, below: Cell | null): Cell {
    const cell = new Cell(`cell-${this._cells.size}`, source);
    this._cells.set(cell.name, cell);
    if (below) {
      below.element.after(cell.element);
    } else {
      document.querySelector('main')?.append(cell.element);
    }
    return cell;
  }

  private _asked = 0;
  private readonly _answers: string[] = [];
  private readonly _cells = new Map<string, Cell>();
}

const connection = new Connection();
const notebook = new Notebook();
connection.onComm = (message, isUnderWay) => {
  routes.deliver(message, isUnderWay);
};
window.colab = notebook;
document.body.className = parameter('theme');
