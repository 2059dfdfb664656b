import * as React from 'react';

import type { Event, IRemedy, IReplies } from '../protocol';
import { Report, newTitleId } from '../report/report';
import {
  type IReportPort,
  type IWorking,
  ReportSession
} from '../report/session';
import {
  type IReportState,
  type ITried,
  notTried,
  type OnAction,
  type RemedyState
} from '../report/state';
import { suggestedCode } from '../report/suggestion';
import { own } from '../text/own';
import type { Connection, IListener } from './connection';
import {
  copy,
  explain,
  type Inserting,
  type Outcome,
  selectRefused
} from './inserting';
import { DRY_RUN, newCells } from './offers';
import { type Question, sentenceOf } from './question';
import { explainQueue, isQueued } from './queue';
import { trans, WORDS } from './translation';
import { draw } from './view';

/** Actions of the buttons of an output. */
type Handlers = Record<
  'release' | 'insert' | 'copy-code' | 'insert-fixed' | 'insert-dry-run',
  (remedyId: string) => Promise<void> | void
>;

/** Result of the cell that tries the edits. */
function triedOf(remedies: IReportState['remedies']): ITried | null {
  const state = own(remedies, DRY_RUN);
  return state && 'text' in state ? notTried(state.text) : null;
}

/**
 * The out-of-memory report in its output.
 *
 * Shown as saved text until the running helper confirms it, and again once it no longer
 * does.
 */
export class LiveReport implements IListener {
  constructor(
    private readonly _host: HTMLElement,
    private readonly _connection: Connection,
    private readonly _inserting: Inserting,
    id: { readonly helper_id: string; readonly report_id: string }
  ) {
    this._saved = [..._host.childNodes];
    this._session = new ReportSession(this._port, id, WORDS, () => {
      this._show();
    });
    // Until another one replies, assume that the helper that made it is running.
    this._session.follow(id.helper_id);
  }

  onChange(): void {
    if (this._connection.link === 'restarted') {
      this._session.follow(null);
    } else {
      this._show();
    }
  }

  onEvent(event: Event): void {
    this._session.onEvent(event);
  }

  onAgain(): void {
    void this._session.complete();
  }

  onHelper(helperId: string): void {
    this._session.follow(helperId);
  }

  private _show(): void {
    if (this._session.trust === 'saved') {
      this._end();
    } else {
      this._draw();
    }
  }

  /** Treat the report as saved: no running helper can confirm it. */
  private _end(): void {
    if (this._isOver) {
      return;
    }
    this._isOver = true;
    this._connection.end();
    if (this._isDrawn) {
      this._host.replaceChildren(...this._saved);
    }
  }

  private get _state(): IReportState {
    const { released, remedies } = this._session;
    return {
      trust: 'confirmed',
      editable: true,
      released,
      runs: {},
      said: null,
      tried: triedOf(remedies),
      remedies
    };
  }

  private _draw(): void {
    const { report } = this._session;
    if (report === null || this._isOver) {
      return;
    }
    this._isDrawn = true;
    draw(
      <Report
        {...WORDS}
        report={report}
        state={this._state}
        offers={newCells(this._inserting.way)}
        onAction={this._onAction}
        titleId={this._titleId}
        opened={this._opened}
      />,
      this._host
    );
  }

  /** Insert the code of a remedy, from the helper's own copy. */
  private async _insert(remedyId: string): Promise<void> {
    const code = this._remedy(remedyId)?.type_this;
    if (code) {
      await this._bring(remedyId, [code], '');
    }
  }

  /** Insert the whole cells that a fix changes. */
  private async _insertFixed(remedyId: string): Promise<void> {
    const { _connection: connection, _session: session } = this;
    const of = { report_id: session.reportId, sources: {} };
    const fix = connection.ask('fix', { ...of, remedy_id: remedyId });
    const reply = await session.wait(remedyId, this._working(fix));
    const codes = reply.fixed.map(({ source }) => source);
    if (reply.type === 'fix' && reply.status === 'ok' && codes.length > 0) {
      // Training state that would be lost, or trained again, if these cells run.
      const rerun = connection.perform('rerun', { ...of, run: reply.run });
      const { cautions } = await session.wait(remedyId, this._working(rerun));
      const texts = [reply.caution, ...cautions].map(entry => entry?.text);
      await this._bring(remedyId, codes, texts.join(' '));
    } else {
      const text =
        'message' in reply && reply.message.text
          ? reply.message.text
          : trans.__('The helper does not know the text of this cell.');
      session.setRemedy(remedyId, { status: 'failed', text });
    }
  }

  /** Insert a cell that tries the edits, since an output has no process of its own. */
  private async _insertDryRun(): Promise<void> {
    const size_bytes = this._session.report?.capacity_bytes ?? 0;
    const size = size_bytes ? `"${Math.floor(size_bytes / 2 ** 20)} MiB"` : '';
    const code = `import gpu_headroom\ngpu_headroom.dry_run(${size})`;
    await this._bring(DRY_RUN, [code], '');
  }

  private async _bring(
    remedyId: string,
    codes: readonly string[],
    caution: string
  ): Promise<void> {
    const status = await this._inserting.insert(codes);
    const text = `${explain(status)} ${caution}`.trim();
    this._tell(remedyId, { status, text, code: codes.join('\n\n') });
  }

  private async _copyCode(remedyId: string): Promise<void> {
    const remedy = this._remedy(remedyId);
    const code = remedy && suggestedCode(remedy);
    if (code) {
      const status = await copy(code);
      const text = status === 'copied' ? trans.__('Copied.') : explain(status);
      this._tell(remedyId, { status, text, code });
    }
  }

  private _tell(
    remedyId: string,
    state: { status: Outcome; text: string; code: string }
  ): void {
    this._session.setRemedy(remedyId, state);
    if (state.status === 'refused') {
      selectRefused(this._host);
    }
  }

  private _remedy(remedyId: string): IRemedy | undefined {
    return this._session.report?.remedies.find(({ id }) => id === remedyId);
  }

  private _working<T>(question: Question<T>): IWorking<T> {
    const { _connection: connection } = this;
    return {
      ended: question.result,
      get state(): RemedyState {
        return isQueued(connection, question as Question)
          ? {
              // A message that the kernel has cannot be withdrawn.
              status: question.isSent ? 'running' : 'waiting',
              text: `${trans.__('Starts when the running cell finishes.')} ${explainQueue(connection)}`
            }
          : { status: 'running', text: '' };
      },
      cancel: () => {
        question.cancel();
      }
    };
  }

  private readonly _port: IReportPort = {
    request: (type, args) =>
      this._connection.ask(type, args).result as Promise<IReplies['report']>,
    perform: (type, args) =>
      this._working(this._connection.perform(type, args)),
    // The helper states for each release which report it concerns.
    isLatest: () => false,
    explain: sentenceOf
  };

  private readonly _handlers: Handlers = {
    release: remedyId => this._session.free(remedyId),
    insert: remedyId => this._insert(remedyId),
    'copy-code': remedyId => this._copyCode(remedyId),
    'insert-fixed': remedyId => this._insertFixed(remedyId),
    'insert-dry-run': () => this._insertDryRun()
  };

  private readonly _onAction: OnAction = (name, remedyId) => {
    if (name === 'cancel' && remedyId !== null) {
      this._session.cancel(remedyId);
    } else if (remedyId !== null) {
      void this._session.act(remedyId, () =>
        this._handlers[name as keyof Handlers](remedyId)
      );
    }
  };

  private readonly _saved: readonly Node[];
  private readonly _titleId = newTitleId();
  private readonly _opened = new Set<string>();
  private readonly _session: ReportSession;
  private _isDrawn = false;
  private _isOver = false;
}
