import { Card } from '../card/card';
import type {
  ActionName,
  CellAction,
  ICardState,
  RemedyState
} from '../card/state';
import { hasFreed, isReleaseOf, RELEASED_ITEMS } from '../memory/released';
import type { Event, IReleased, IReport } from '../protocol';
import type { Connection, IListener } from './connection';
import { explain, type Inserting, selectRefused } from './inserting';
import { newCells } from './offers';
import { Unanswered, type Question } from './question';
import { explainQueue, isQueued } from './queue';
import { trans, WORDS } from './translation';

/** What each button of an output does. */
type Handlers = Record<
  Exclude<ActionName, CellAction>,
  (remedyId: string) => Promise<void> | void
>;

/**
 * The card of an out-of-memory error in its output.
 *
 * It is text, as it was saved, until the live helper vouches for it, and from the
 * moment on that it does not any more.
 */
export class LiveCard implements IListener {
  constructor(
    private readonly _host: HTMLElement,
    private readonly _connection: Connection,
    private readonly _inserting: Inserting,
    private readonly _id: {
      readonly life_id: string;
      readonly report_id: string;
    }
  ) {
    this._saved = [..._host.childNodes];
    void this._ask();
  }

  onChange(): void {
    if (this._connection.link === 'restarted') {
      this._end();
    } else {
      this._draw();
    }
  }

  onEvent(event: Event): void {
    if (event.type === 'oom' && event.report_id === this._id.report_id) {
      void this._ask();
    } else if (event.type === 'oom') {
      this._isLatest = false;
    } else if (
      event.type === 'released' &&
      isReleaseOf(event, this._id.report_id, this._isLatest)
    ) {
      this._released = event;
    }
  }

  onLife(lifeId: string): void {
    if (lifeId !== this._id.life_id) {
      this._end();
    } else if (!this._isAsking) {
      void this._ask();
    }
  }

  /** Ask whether the helper made this report. */
  private async _ask(): Promise<void> {
    this._isAsking = true;
    try {
      const reply = await this._connection.ask('report', this._id).result;
      if (reply.type === 'report' && reply.status === 'known') {
        this._report = reply.report;
        this._released = reply.released ?? this._released;
        this._draw();
      } else {
        this._end();
      }
    } catch {
      // What is on screen stays, and it is asked again once the kernel is heard.
    }
    this._isAsking = false;
  }

  /** Nobody vouches for the report any more, or ever did. */
  private _end(): void {
    if (this._isOver) {
      return;
    }
    this._isOver = true;
    this._connection.end();
    if (this._card) {
      this._host.replaceChildren(...this._saved);
    }
  }

  private get _state(): ICardState {
    const held = [...this._questions]
      .filter(([, question]) => isQueued(this._connection, question))
      .map(([id, { isSent }]): [string, RemedyState] => [
        id,
        {
          // What the kernel has is not to be had back.
          status: isSent ? 'running' : 'waiting',
          text: `${trans.__('Queued until the running cell ends.')} ${explainQueue(this._connection)}`
        }
      ]);
    return {
      trust: 'confirmed',
      editable: true,
      released: this._released,
      runs: {},
      copied: null,
      remedies: { ...this._remedies, ...Object.fromEntries(held) }
    };
  }

  private _draw(): void {
    if (this._report === null || this._isOver) {
      return;
    }
    const state = this._state;
    const shown = JSON.stringify([this._report, state]);
    if (shown === this._shown) {
      return;
    }
    this._shown = shown;
    if (this._card === null) {
      const node = document.createElement('div');
      this._host.replaceChildren(node);
      this._card = new Card(
        node,
        WORDS,
        newCells(this._inserting.way),
        (name, remedyId) => {
          void this._act(name, remedyId);
        }
      );
    }
    this._card.show(this._report, state);
  }

  private async _act(name: ActionName, remedyId: string | null): Promise<void> {
    if (remedyId === null) {
      return;
    }
    try {
      await this._handlers[name as keyof Handlers](remedyId);
    } catch (reason) {
      const text = reason instanceof Unanswered ? reason.message : '';
      this._set(remedyId, text ? { status: 'failed', text } : READY);
    }
  }

  private async _release(remedyId: string): Promise<void> {
    const question = this._connection.perform('release', {
      items: RELEASED_ITEMS,
      confirmed: [],
      report_id: this._id.report_id
    });
    const released = await this._wait(remedyId, question);
    const { message, status } = released;
    const text =
      status === 'failed'
        ? trans.__('Could not free it: %1', message.text)
        : message.text;
    this._set(
      remedyId,
      hasFreed(released) ? READY : { status: 'failed', text }
    );
  }

  /** Insert the code of a remedy: the helper's own copy. */
  private async _insert(remedyId: string): Promise<void> {
    const remedy = this._report?.remedies.find(({ id }) => id === remedyId);
    if (remedy && remedy.type_this !== null) {
      await this._bring(remedyId, [remedy.type_this], '');
    }
  }

  /** Insert the cells that a fix changes, whole. */
  private async _insertFixed(remedyId: string): Promise<void> {
    const question = this._connection.ask('fix', {
      report_id: this._id.report_id,
      remedy_id: remedyId,
      sources: {}
    });
    const reply = await this._wait(remedyId, question);
    const codes = reply.fixed.map(({ source }) => source);
    if (reply.type === 'fix' && reply.status === 'ok' && codes.length > 0) {
      // What was trained and would be lost, or trained again, where these run.
      const question = this._connection.perform('rerun', {
        report_id: this._id.report_id,
        run: reply.run,
        sources: {}
      });
      const { cautions } = await this._wait(remedyId, question);
      const said = [reply.caution, ...cautions].map(each => each?.text);
      await this._bring(remedyId, codes, said.join(' '));
    } else {
      const text =
        'message' in reply && reply.message.text
          ? reply.message.text
          : trans.__('The helper does not know the text of this cell.');
      this._set(remedyId, { status: 'failed', text });
    }
  }

  private async _bring(
    remedyId: string,
    codes: readonly string[],
    caution: string
  ): Promise<void> {
    const outcome = await this._inserting.insert(codes);
    const text = `${explain(outcome)} ${caution}`.trim();
    if (outcome === 'refused') {
      const code = codes.join('\n\n');
      this._set(remedyId, { status: 'refused', text, code });
      selectRefused(this._host);
    } else {
      this._set(remedyId, { status: 'inserted', text });
    }
  }

  private async _wait<T>(remedyId: string, question: Question<T>): Promise<T> {
    this._questions.set(remedyId, question as Question);
    this._set(remedyId, { status: 'running', text: '' });
    try {
      return await question.result;
    } finally {
      this._questions.delete(remedyId);
    }
  }

  private _cancel(remedyId: string): void {
    const question = this._questions.get(remedyId);
    if (question) {
      this._connection.cancel(question);
    }
  }

  private _set(remedyId: string, state: RemedyState): void {
    this._remedies = { ...this._remedies, [remedyId]: state };
    this._draw();
  }

  private readonly _handlers: Handlers = {
    release: remedyId => this._release(remedyId),
    cancel: remedyId => {
      this._cancel(remedyId);
    },
    insert: remedyId => this._insert(remedyId),
    'insert-fixed': remedyId => this._insertFixed(remedyId)
  };

  private readonly _saved: readonly Node[];
  private _card: Card | null = null;
  private _report: IReport | null = null;
  private _released: IReleased | null = null;
  private _remedies: Readonly<Record<string, RemedyState>> = {};
  private readonly _questions = new Map<string, Question>();
  private _shown = '';
  private _isAsking = false;
  private _isOver = false;
  /** Whether no other cell ran out of memory after it, as far as is known. */
  private _isLatest = true;
}

const READY: RemedyState = { status: 'ready' };
