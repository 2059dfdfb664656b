import { element, inline } from '../components/dom/element';
import type { IDetail, IReport } from '../protocol';
import { formatBytes } from '../text/format';
import { button } from './button';
import { fold } from './fold';
import type { IContext } from './state';

/** Rows shown of the table. */
const MAX_ROWS = 60;

/** Versions shown. */
const MAX_VERSIONS = 20;

/**
 * The numbers behind the card, each with its source.
 */
export function details(context: IContext): HTMLElement {
  const { report, trans } = context;
  const copies = context.offers.copies(context);
  const { copied } = context.state;
  const origin = trans.__(
    "Simulated GPU: the numbers come from a model of PyTorch's allocator."
  );
  const hasNumbers = report.details.length > 0;
  return fold(
    'details',
    trans.__('Details'),
    hasNumbers ? trans.__('allocator numbers and their sources') : '',
    hasNumbers ? table(context) : null,
    versions(context),
    report.simulated ? element('p', 'jp-GpuHeadroomCard-note', origin) : null,
    copies.length > 0
      ? element(
          'div',
          'jp-GpuHeadroomCard-foldActions jp-GpuHeadroom-actions',
          ...copies.map(offer => button(context, offer))
        )
      : null,
    copied === null ? null : element('p', 'jp-GpuHeadroomCard-note', copied)
  );
}

function table(context: IContext): HTMLElement {
  const { report, trans } = context;
  const titles = [
    trans.__('At the moment of failure'),
    trans.__('Size'),
    trans.__('Source')
  ].map(title => {
    const cell = element('th', '', title);
    cell.scope = 'col';
    return cell;
  });
  const rows = report.details
    .slice(0, MAX_ROWS)
    .map(detail => row(context, detail));
  return element(
    'table',
    'jp-GpuHeadroomCard-table',
    element('thead', '', element('tr', '', ...titles)),
    element('tbody', '', ...rows)
  );
}

/** What took part, in one line. */
function versions({ report }: IContext): HTMLElement | null {
  const text = listVersions(report);
  return text
    ? element('p', 'jp-GpuHeadroomCard-note jp-mod-versions', text)
    : null;
}

/** "Python 3.13.1, PyTorch 2.9.1". */
export function listVersions({ versions }: IReport): string {
  return versions
    .slice(0, MAX_VERSIONS)
    .map(({ name, version }) => `${name} ${version}`)
    .join(', ');
}

function row(
  { sentence, trans }: IContext,
  { bytes, label, source }: IDetail
): HTMLElement {
  const size =
    bytes === null ? trans.__('not measured') : formatBytes(bytes, 2);
  const origin = inline(sentence(source));
  return element(
    'tr',
    '',
    element('td', '', ...inline(sentence(label))),
    element('td', 'jp-GpuHeadroomCard-number', size),
    element('td', 'jp-GpuHeadroomCard-source', ...origin)
  );
}
