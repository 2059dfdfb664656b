import { SAMPLE } from '../../__tests__/samples';
import type { Event, IChangedCell, IFrameOpening } from '../../protocol';
import type { IChannel, ITransport } from '../transport';

/** A message of a frame. */
export interface ISaid {
  readonly seen: number;
  readonly poll: number | null;
  readonly request: { readonly id: string; readonly type: string } | null;
}

/** Reactions of the helper to a request. */
export interface IDone {
  readonly reply: object;
  readonly fixed?: readonly IChangedCell[];
  readonly events?: readonly object[];
}

/** A channel whose kernel side is controlled by a test. */
class Wire implements IChannel {
  constructor(private readonly _kernel: FakeKernel) {}

  readonly said: ISaid[] = [];

  /** Whether the kernel recognizes it. */
  isOpen = false;

  send(data: unknown): Promise<void> {
    const said = data as ISaid;
    if (this._kernel.state === 'deaf') {
      return new Promise(() => undefined);
    }
    this.said.push(said);
    this._kernel.hear(this, said);
    return Promise.resolve();
  }

  push(data: unknown): void {
    this._queue.push(data);
    this._wake();
  }

  close(): void {
    this._isClosed = true;
    this._wake();
  }

  get messages(): AsyncIterable<unknown> {
    return this._read();
  }

  private async *_read(): AsyncIterable<unknown> {
    while (this._queue.length > 0 || !this._isClosed) {
      if (this._queue.length > 0) {
        yield this._queue.shift();
      } else {
        await new Promise<void>(resolve => {
          this._wake = resolve;
        });
      }
    }
  }

  private readonly _queue: unknown[] = [];
  private _isClosed = false;
  private _wake: () => void = () => undefined;
}

/**
 * A kernel as seen by frames.
 *
 * - `rest`: it replies at once
 * - `busy`: it replies when its cell has ended
 * - `silent`: it receives messages without a reaction, like a kernel that was
 *   restarted and recognizes no channel any more
 * - `deaf`: messages are lost
 * - `empty`: it has no helper, and closes what is opened
 */
export class FakeKernel implements ITransport {
  state: 'rest' | 'busy' | 'silent' | 'deaf' | 'empty' = 'rest';
  helperId = 'helper-1';
  /** Fields of its readings. */
  fields: object = {};
  readonly wires: Wire[] = [];
  readonly called: unknown[] = [];
  /** Ids of the frames that opened a channel. */
  readonly opened: string[] = [];
  beacon: (data: unknown) => void = () => undefined;
  onRequest: (request: { id: string; type: string }) => IDone = ({ id }) => ({
    reply: { type: 'history', id, points: [] }
  });

  /** All messages of frames, on any channel. */
  get said(): ISaid[] {
    return this.wires.flatMap(({ said }) => said);
  }

  get polls(): number {
    return this.said.filter(({ request }) => request === null).length;
  }

  get requests(): string[] {
    return this.said.flatMap(({ request }) => (request ? [request.type] : []));
  }

  get wire(): Wire {
    const wire = this.wires[this.wires.length - 1];
    if (!wire) {
      throw new Error('No channel was opened.');
    }
    return wire;
  }

  listen(_uid: string, onData: (data: unknown) => void): void {
    this.beacon = onData;
  }

  open(opening?: IFrameOpening): Promise<IChannel> {
    this.opened.push(opening?.uid ?? '');
    const wire = new Wire(this);
    this.wires.push(wire);
    if (this.state === 'deaf') {
      return new Promise(() => undefined);
    }
    if (this.state === 'empty') {
      wire.close();
    } else {
      this.hear(wire, null);
    }
    return Promise.resolve(wire);
  }

  call(data: unknown): Promise<unknown> {
    this.called.push(data);
    const { request } = data as ISaid;
    return request
      ? Promise.resolve(this._answer(null, request))
      : Promise.resolve(undefined);
  }

  /** Handle a message; `null`: a channel was opened. */
  hear(wire: Wire, said: ISaid | null): void {
    const answer = (): void => {
      wire.isOpen = true;
      wire.push(this._answer(said?.poll ?? null, said?.request ?? null));
    };
    if (this.state === 'rest') {
      answer();
    } else if (this.state === 'busy') {
      this._waiting.push(answer);
    }
  }

  /** Send events while a cell runs. */
  push(...events: object[]): void {
    const open = this.wires.filter(({ isOpen }) => isOpen);
    open[open.length - 1]?.push(this.envelope(events));
  }

  /** Start a cell. */
  begin(): void {
    this.state = 'busy';
    this.push(this.sample());
  }

  /** End the running cell, and reply to what waited. */
  end(): void {
    this.state = 'rest';
    this.push(this.sample());
    this._waiting.splice(0).forEach(answer => {
      answer();
    });
  }

  sample(): Event {
    return {
      ...SAMPLE,
      helper_id: this.helperId,
      seq: ++this._seq,
      busy: this.state === 'busy',
      ...this.fields
    };
  }

  envelope(
    events: readonly object[],
    more: { poll?: number | null; reply?: object; fixed?: unknown } = {}
  ): object {
    return {
      helper_id: this.helperId,
      poll: more.poll ?? null,
      reply: more.reply ?? null,
      fixed: more.fixed ?? null,
      events: events.map(event => [++this._number, event])
    };
  }

  private _answer(
    poll: number | null,
    request: { id: string; type: string } | null
  ): object {
    if (!request) {
      return this.envelope([this.sample()], { poll });
    }
    const { reply, fixed, events = [] } = this.onRequest(request);
    return this.envelope(events, { poll, reply, fixed });
  }

  private _number = 0;
  private _seq = 0;
  private readonly _waiting: (() => void)[] = [];
}
