import { codeBlock } from '../components/dom/code';
import { element, inline } from '../components/dom/element';
import { icon } from '../components/dom/icon';
import type { IHolders, IItem, IPlan, IReleased } from '../protocol';
import { formatBytes, formatPair, MIB } from '../text/format';
import { nameSize } from '../text/names';
import { button } from './button';
import type { Connection } from './connection';
import { holding } from './holding';
import { explain, type Inserting, type Outcome } from './inserting';
import { box, rows, said } from './parts';
import { Unanswered, type Question } from './question';
import { explainQueue, isQueued } from './queue';
import { trans } from './translation';

/** Less than this is not worth a row. */
const SMALLEST_BYTES = MIB;

/** Holders named at most of what is left. */
const MOST_HOLDERS = 3;

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

  draw(): HTMLElement | null {
    const view = this._view;
    switch (view.kind) {
      case 'closed':
        return null;
      case 'asking':
        return this._question && isQueued(this._connection, this._question)
          ? this._queued(view.what, this._question)
          : box(said('clock', view.how));
      case 'plan':
        return this._plan(view.plan);
      case 'held':
        return box(...holding(view.holders), this._buttons());
      case 'freed':
        return this._freed(view.released);
      case 'written':
        return box(
          said(
            view.outcome === 'refused' ? 'info' : 'check',
            explain(view.outcome)
          ),
          view.outcome === 'refused'
            ? codeBlock(view.code, 'jp-mod-refused')
            : null,
          this._buttons()
        );
      case 'failed':
        return box(said('triangle', view.text), this._buttons());
    }
  }

  private _queued(what: string, question: Question): HTMLElement {
    return box(
      element(
        'div',
        'jp-GpuHeadroomLive-queued',
        icon('clock'),
        element(
          'div',
          '',
          element(
            'p',
            '',
            element(
              'strong',
              '',
              trans.__('Queued until the running cell ends')
            )
          ),
          element('p', '', what),
          element(
            'p',
            'jp-GpuHeadroomCard-note',
            explainQueue(this._connection)
          )
        ),
        question.isSent
          ? null
          : button(trans.__('Cancel'), () => {
              this._connection.cancel(question);
            })
      )
    );
  }

  private _plan(plan: IPlan): HTMLElement {
    const items = plan.items.filter(isWorthARow);
    const what = trans.__('Free: %1', plan.message.text);
    return box(
      element('p', '', ...inline(plan.message.text)),
      items.length > 0
        ? rows(
            items.map(({ title, expected_bytes }) => [
              title.text,
              nameSize(expected_bytes, trans)
            ])
          )
        : null,
      items.length > 0
        ? this._buttons(
            button(
              trans.__('Free now'),
              () => {
                this._free(what);
              },
              true
            ),
            button(trans.__('Insert clean-up cell'), () => {
              this._write();
            })
          )
        : this._buttons()
    );
  }

  private _freed(released: IReleased): HTMLElement {
    const { items, message, status, still_held } = released;
    const returned = released.returned_bytes ?? 0;
    const isDone = status === 'done';
    const sizes = [
      ...items.map(({ freed_bytes, title }) => [title.text, freed_bytes]),
      [trans.__('Returned to the card'), returned],
      ...still_held
        .slice(0, MOST_HOLDERS)
        .map(({ name, bytes }) => [
          trans.__('Still held by %1', `\`${name}\``),
          bytes
        ])
    ] as const;
    const shown = sizes
      .map(([name, bytes]) => [String(name), Number(bytes ?? 0)] as const)
      .filter(([, bytes]) => bytes >= SMALLEST_BYTES)
      .map(([name, bytes]): [string, string] => [name, formatBytes(bytes)]);
    const reasons = items.flatMap(({ message: why }) =>
      why && why.text !== message.text ? [why.text] : []
    );
    return box(
      said(
        isDone ? 'check' : status === 'failed' ? 'triangle' : 'info',
        headline(released)
      ),
      isDone ? rows(shown) : null,
      ...reasons.map(text => said('info', text)),
      this._buttons()
    );
  }

  private _buttons(...buttons: readonly HTMLElement[]): HTMLElement {
    const close = button(trans.__('Close'), () => {
      this.close();
    });
    return element('div', 'jp-GpuHeadroom-actions', ...buttons, close);
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
      const text = reason instanceof Unanswered ? reason.message : '';
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

function isWorthARow({ blocked, expected_bytes, safe }: IItem): boolean {
  return (
    safe &&
    blocked === null &&
    (expected_bytes === null || expected_bytes >= SMALLEST_BYTES)
  );
}

/** "Freed 12.0 GiB: headroom 1.8 → 13.8 GiB", else what the helper says. */
function headline(released: IReleased): string {
  const {
    freed_bytes: freed,
    headroom_after_bytes: after,
    headroom_before_bytes: before,
    message,
    status
  } = released;
  if (status !== 'done' || !freed || freed < 0) {
    return message.text;
  }
  const size = formatBytes(freed);
  return before === null || after === null
    ? trans.__('Freed %1', size)
    : trans.__('Freed %1: headroom %2', size, formatPair(before, after, ' → '));
}
