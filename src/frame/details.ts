import { formatBytes } from '../format';
import type { IReport } from '../protocol';
import { button } from './button';
import { element, inline } from './element';
import type { IContext } from './state';

/** Rows shown of the table. */
const MAX_ROWS = 60;

/**
 * A part of the card that is closed until a person opens it.
 */
export function fold(
  key: string,
  title: string,
  hint: string,
  ...content: readonly (Node | null)[]
): HTMLDetailsElement {
  const summary = element(
    'summary',
    'jp-GpuHeadroomCard-summary',
    element('span', '', title),
    hint ? element('span', 'jp-GpuHeadroomCard-hint', hint) : null
  );
  summary.dataset.focusKey = `fold ${key}`;
  const node = element(
    'details',
    'jp-GpuHeadroomCard-fold',
    summary,
    element('div', 'jp-GpuHeadroomCard-foldBody', ...content)
  );
  node.dataset.fold = key;
  return node;
}

/**
 * The numbers behind the card, each with its source.
 */
export function details(context: IContext, report: IReport): HTMLElement {
  const { words } = context;
  const { trans } = words;
  const copy = element(
    'div',
    'jp-GpuHeadroomCard-foldActions',
    button(context, { label: trans.__('Copy as text'), action: 'copy' })
  );
  const origin = report.simulated
    ? element(
        'p',
        'jp-GpuHeadroomCard-note',
        trans.__(
          "Simulated GPU: the numbers come from a model of PyTorch's allocator."
        )
      )
    : null;
  const hasNumbers = report.details.length > 0;
  return fold(
    'details',
    trans.__('Details'),
    hasNumbers ? trans.__('allocator numbers and their sources') : '',
    hasNumbers ? table(context, report) : null,
    origin,
    copy
  );
}

function table({ words }: IContext, report: IReport): HTMLElement {
  const { trans } = words;
  const head = element(
    'thead',
    '',
    element(
      'tr',
      '',
      ...[
        trans.__('At the moment of failure'),
        trans.__('Size'),
        trans.__('Source')
      ].map(headerCell)
    )
  );
  const rows = report.details
    .slice(0, MAX_ROWS)
    .map(detail =>
      element(
        'tr',
        '',
        element('td', '', ...inline(words.sentence(detail.label))),
        element(
          'td',
          'jp-GpuHeadroomCard-number',
          detail.bytes === null
            ? trans.__('not measured')
            : formatBytes(detail.bytes, 2)
        ),
        element(
          'td',
          'jp-GpuHeadroomCard-source',
          ...inline(words.sentence(detail.source))
        )
      )
    );
  return element(
    'table',
    'jp-GpuHeadroomCard-table',
    head,
    element('tbody', '', ...rows)
  );
}

function headerCell(title: string): HTMLElement {
  const cell = element('th', '', title);
  cell.scope = 'col';
  return cell;
}
