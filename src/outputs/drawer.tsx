import * as React from 'react';

import { Button, Buttons, type IButtonProps } from '../components/button';
import { CodeBlock } from '../components/code';
import { Hint } from '../components/hint';
import { Icon } from '../components/icon';
import { Result } from '../components/result';
import { Rows } from '../components/rows';
import { Sentence } from '../components/sentence';
import { isListed } from '../memory/items';
import type { IHolders, IPlan, IReleased } from '../protocol';
import { nameSize } from '../text/names';
import type { Connection } from './connection';
import { Holding } from './holding';
import { explain, type Inserting, type Outcome } from './inserting';
import { type Question, sentenceOf } from './question';
import { explainQueue, isQueued } from './queue';
import { trans } from './translation';

/** What is on view below a gauge. */
type View =
  | { readonly kind: 'closed' }
  | { readonly kind: 'asking'; readonly what: string; readonly how: string }
  | { readonly kind: 'plan'; readonly plan: IPlan }
  | { readonly kind: 'held'; readonly holders: IHolders }
  | { readonly kind: 'freed'; readonly released: IReleased }
  | {
      readonly kind: 'written';
      readonly outcome: Outcome;
      readonly code: string;
    }
  | { readonly kind: 'failed'; readonly text: string };

/**
 * What opens below a gauge. *Free memory…*: what can be freed without loss, freeing
 * it, and the cell that does the same. *What holds it?*: whose the memory in use is.
 */
export class Drawer {
  constructor(
    private readonly _connection: Connection,
    private readonly _inserting: Inserting,
    private readonly _onChange: () => void
  ) {}

  get isOpen(): boolean {
    return this._view.kind !== 'closed';
  }

  /** Ask what can be freed. */
  openPlan(): void {
    void this._ask(
      trans.__('See what can be freed'),
      trans.__('Measuring what can be freed…'),
      this._connection.perform('plan', { asked: true }),
      plan => ({ kind: 'plan', plan })
    );
  }

  /** Ask what holds the memory in use. */
  openHolders(): void {
    void this._ask(
      trans.__('See what holds the memory'),
      trans.__('Measuring…'),
      this._connection.perform('holders', { asked: true }),
      holders => ({ kind: 'held', holders })
    );
  }

  close(): void {
    this._show({ kind: 'closed' });
  }

  draw(): React.JSX.Element | null {
    const view = this._view;
    return view.kind === 'closed' ? null : (
      <div className="jp-GpuHeadroomLive-box">{this._content(view)}</div>
    );
  }

  private _content(view: Exclude<View, { kind: 'closed' }>): React.JSX.Element {
    switch (view.kind) {
      case 'asking':
        return this._question && isQueued(this._connection, this._question) ? (
          this._queued(view.what, this._question)
        ) : (
          <Hint icon="clock" isSpoken>
            <Sentence text={view.how} />
          </Hint>
        );
      case 'plan':
        return this._plan(view.plan);
      case 'held':
        return (
          <>
            <Holding {...view.holders} />
            {this._buttons()}
          </>
        );
      case 'freed':
        return (
          <>
            <Result
              released={view.released}
              expected_bytes={null}
              trans={trans}
            />
            {this._buttons()}
          </>
        );
      case 'written':
        return (
          <>
            <Hint icon={view.outcome === 'refused' ? 'info' : 'check'} isSpoken>
              {explain(view.outcome)}
            </Hint>
            {view.outcome === 'refused' && (
              <CodeBlock code={view.code} isRefused />
            )}
            {this._buttons()}
          </>
        );
      case 'failed':
        return (
          <>
            <Hint icon="triangle" isSpoken>
              <Sentence text={view.text} />
            </Hint>
            {this._buttons()}
          </>
        );
    }
  }

  private _queued(what: string, question: Question): React.JSX.Element {
    return (
      <div className="jp-GpuHeadroomLive-queued">
        <Icon name="clock" />
        <div>
          <p>
            <strong>{trans.__('Queued until the running cell ends')}</strong>
          </p>
          <p>{what}</p>
          <p className="jp-GpuHeadroomLive-aside">
            {explainQueue(this._connection)}
          </p>
        </div>
        {!question.isSent && (
          <Button
            label={trans.__('Cancel')}
            onPress={() => {
              question.cancel();
            }}
          />
        )}
      </div>
    );
  }

  private _plan({ items, message }: IPlan): React.JSX.Element {
    const listed = items.filter(
      item => item.safe && item.blocked === null && isListed(item)
    );
    const free = (): void => {
      this._free(trans.__('Free: %1', message.text));
    };
    const write = (): void => {
      this._write();
    };
    return (
      <>
        <p>
          <Sentence text={message.text} />
        </p>
        {listed.length > 0 && (
          <Rows
            rows={listed.map(({ title, expected_bytes }) => [
              title.text,
              nameSize(expected_bytes, trans)
            ])}
          />
        )}
        {listed.length > 0
          ? this._buttons(
              { label: trans.__('Free now'), onPress: free, isPrimary: true },
              { label: trans.__('Insert clean-up cell'), onPress: write }
            )
          : this._buttons()}
      </>
    );
  }

  private _buttons(...buttons: readonly IButtonProps[]): React.JSX.Element {
    const close = (): void => {
      this.close();
    };
    const all = [...buttons, { label: trans.__('Close'), onPress: close }];
    return (
      <div className="jp-GpuHeadroom-actions">
        <Buttons buttons={all} />
      </div>
    );
  }

  private _free(what: string): void {
    void this._ask(
      what,
      trans.__('Freeing…'),
      this._connection.perform('release', {
        items: null,
        confirmed: [],
        report_id: null
      }),
      released => ({ kind: 'freed', released })
    );
  }

  private _write(): void {
    void this._ask(
      trans.__('Insert clean-up cell'),
      trans.__('Writing the clean-up cell…'),
      this._connection.perform('cleanup', { items: null }),
      async ({ code, message }) =>
        code === null
          ? { kind: 'failed', text: message.text }
          : {
              kind: 'written',
              outcome: await this._inserting.insert([code]),
              code
            }
    );
  }

  private async _ask<T>(
    what: string,
    how: string,
    question: Question<T>,
    then: (result: T) => View | Promise<View>
  ): Promise<void> {
    this._question = question as Question;
    this._show({ kind: 'asking', what, how });
    try {
      const view = await then(await question.result);
      this._show(view);
    } catch (reason) {
      const text = sentenceOf(reason);
      this._show(text ? { kind: 'failed', text } : { kind: 'closed' });
    }
  }

  private _show(view: View): void {
    this._view = view;
    this._onChange();
  }

  private _view: View = { kind: 'closed' };
  private _question: Question | null = null;
}
