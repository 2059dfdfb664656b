import * as React from 'react';

import { Button, Buttons, type IButtonProps } from '../components/button';
import { CodeBlock } from '../components/code';
import { Hint } from '../components/hint';
import { Icon, type IconName } from '../components/icon';
import { Sentence } from '../components/sentence';
import { isListed } from '../memory/items';
import type { IPlan } from '../protocol';
import { nameSize } from '../text/names';
import type { Connection } from './connection';
import { Holding } from './holding';
import { explain, type Inserting } from './inserting';
import { type Question, sentenceOf } from './question';
import { explainQueue, isQueued } from './queue';
import { Result } from './result';
import { Rows } from './rows';
import { trans } from './translation';

/** A question in progress: the request, and the text shown meanwhile. */
interface IAsking {
  readonly question: Question;
  readonly what: string;
  readonly how: string;
}

/** Result of a question, with the buttons besides *Close*. */
interface IAnswer {
  readonly body: React.ReactNode;
  readonly buttons?: readonly IButtonProps[];
}

/**
 * Drawer below a gauge. *Free memory…* shows what can be freed without loss, a button
 * to free it, and the cell that does the same. *What holds it?* shows what uses the
 * memory.
 */
export class Drawer {
  constructor(
    private readonly _connection: Connection,
    private readonly _inserting: Inserting,
    private readonly _onChange: () => void
  ) {}

  get isOpen(): boolean {
    return this._view !== null;
  }

  /** Request what can be freed. */
  openPlan(): void {
    void this._ask(
      trans.__('See what can be freed'),
      trans.__('Measuring…'),
      this._connection.perform('plan', { asked: true }),
      plan => this._planned(plan)
    );
  }

  /** Request what uses the memory. */
  openHolders(): void {
    void this._ask(
      trans.__('See what holds the memory'),
      trans.__('Measuring…'),
      this._connection.perform('holders', { asked: true }),
      holders => ({ body: <Holding {...holders} /> })
    );
  }

  draw(): React.JSX.Element | null {
    const view = this._view;
    return (
      view && (
        <div className="jp-GpuHeadroomLive-box">
          {'question' in view ? this._asking(view) : this._answer(view)}
        </div>
      )
    );
  }

  private _asking(view: IAsking): React.JSX.Element {
    return isQueued(this._connection, view.question) ? (
      <Queued connection={this._connection} {...view} />
    ) : (
      hint('clock', view.how)
    );
  }

  private _answer({ body, buttons = [] }: IAnswer): React.JSX.Element {
    const close = (): void => {
      this._show(null);
    };
    const all = [...buttons, { label: trans.__('Close'), onPress: close }];
    return (
      <>
        {body}
        <div className="jp-GpuHeadroom-actions">
          <Buttons buttons={all} />
        </div>
      </>
    );
  }

  private _planned({ items, message }: IPlan): IAnswer {
    const listed = items.filter(
      item => item.safe && item.blocked === null && isListed(item)
    );
    const text = (
      <p>
        <Sentence text={message.text} />
      </p>
    );
    if (listed.length === 0) {
      return { body: text };
    }
    const rows = listed.map(
      ({ title, expected_bytes }) =>
        [title.text, nameSize(expected_bytes, trans)] as const
    );
    const free = (): void => {
      this._free(trans.__('Free: %1', message.text));
    };
    const write = (): void => {
      this._write();
    };
    return {
      body: (
        <>
          {text}
          <Rows rows={rows} />
        </>
      ),
      buttons: [
        { label: trans.__('Free now'), onPress: free, isPrimary: true },
        { label: trans.__('Insert clean-up cell'), onPress: write }
      ]
    };
  }

  private _free(what: string): void {
    void this._ask(
      what,
      trans.__('Freeing GPU memory…'),
      this._connection.perform('release', {
        items: null,
        confirmed: [],
        report_id: null
      }),
      released => ({
        body: <Result released={released} trans={trans} />
      })
    );
  }

  private _write(): void {
    void this._ask(
      trans.__('Insert clean-up cell'),
      trans.__('Looking for what a clean-up cell can free…'),
      this._connection.perform('cleanup', { items: null }),
      async ({ code, message }) => {
        if (code === null) {
          return { body: hint('triangle', message.text) };
        }
        const outcome = await this._inserting.insert([code]);
        const isRefused = outcome === 'refused';
        return {
          body: (
            <>
              {hint(isRefused ? 'info' : 'check', explain(outcome))}
              {isRefused && <CodeBlock code={code} isRefused />}
            </>
          )
        };
      }
    );
  }

  private async _ask<T>(
    what: string,
    how: string,
    question: Question<T>,
    answered: (result: T) => IAnswer | Promise<IAnswer>
  ): Promise<void> {
    this._show({ what, how, question: question as Question });
    try {
      this._show(await answered(await question.result));
    } catch (reason) {
      const text = sentenceOf(reason);
      this._show(text ? { body: hint('triangle', text) } : null);
    }
  }

  private _show(view: IAsking | IAnswer | null): void {
    this._view = view;
    this._onChange();
  }

  /** `null`: closed. */
  private _view: IAsking | IAnswer | null = null;
}

/** A sentence that screen readers announce. */
function hint(icon: IconName, text: string): React.JSX.Element {
  return (
    <Hint icon={icon} isSpoken>
      <Sentence text={text} />
    </Hint>
  );
}

function Queued(
  props: IAsking & { connection: Connection }
): React.JSX.Element {
  const { connection, question, what } = props;
  const cancel = (): void => {
    question.cancel();
  };
  return (
    <div className="jp-GpuHeadroomLive-queued">
      <Icon name="clock" />
      <div>
        <p>
          <strong>{trans.__('Starts when the running cell finishes.')}</strong>
        </p>
        <p>{what}</p>
        <p className="jp-GpuHeadroomLive-aside">{explainQueue(connection)}</p>
      </div>
      {!question.isSent && (
        <Button label={trans.__('Cancel')} onPress={cancel} />
      )}
    </div>
  );
}
