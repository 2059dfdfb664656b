import { element } from '../components/dom/element';
import type { IDiff, IDiffRow, IRemedy, IReport } from '../protocol';
import { formatPrompt } from '../text/format';
import { smallFold } from './fold';
import type { IContext } from './state';

/** Rows shown of one diff, and those of them that are not folded away. */
const MAX_ROWS = 60;
const MAX_OPEN = 12;

/** Cells shown of one edit. */
const MAX_CELLS = 10;

/** What a change is of, as a person is told of it: `In [2]`, `main.py`. */
export function nameOf({ execution_count, file }: IDiff): string {
  return file ?? formatPrompt(execution_count);
}

/**
 * Whether any of these changes is not of the failed cell.
 */
export function isElsewhere(
  { cell_id }: IReport,
  diffs: readonly IDiff[]
): boolean {
  return diffs.some(each => each.cell_id !== cell_id);
}

/**
 * The lines that an edit would change, under the cell or file that they stand in where
 * that is not only the failed one.
 */
export function diffs(context: IContext, remedy: IRemedy): HTMLElement[] {
  const named = isElsewhere(context.report, remedy.diffs);
  return remedy.diffs.slice(0, MAX_CELLS).map((each, index) => {
    const name = named ? nameOf(each) : null;
    return diff(context, each, name, `rows ${remedy.id} ${index}`);
  });
}

/** Signs are words for screen readers. */
function diff(
  context: IContext,
  model: IDiff,
  name: string | null,
  key: string
): HTMLElement {
  const { trans } = context;
  const rows = model.rows.slice(0, MAX_ROWS).map(each => row(context, each));
  const rest = rows.splice(MAX_OPEN);
  const node = element(
    'div',
    'jp-GpuHeadroomCard-diff',
    name ? element('div', 'jp-GpuHeadroomCard-diffCell', name) : null,
    element('div', 'jp-GpuHeadroomCard-diffRows', ...rows),
    rest.length > 0
      ? smallFold(
          key,
          trans.__('%1 more lines', String(rest.length)),
          element('div', 'jp-GpuHeadroomCard-diffRows', ...rest)
        )
      : null
  );
  node.setAttribute('role', 'group');
  const label = trans.__('Change to the code');
  node.setAttribute('aria-label', name ? `${label}, ${name}` : label);
  return node;
}

const MODIFIERS = { '-': 'jp-mod-removed', '+': 'jp-mod-added', ' ': '' };

function row({ trans }: IContext, { sign, line, text }: IDiffRow): HTMLElement {
  const spoken = {
    '-': trans.__('removed'),
    '+': trans.__('added'),
    ' ': ''
  }[sign];
  const mark = element('span', 'jp-GpuHeadroomCard-diffSign', sign);
  mark.setAttribute('aria-hidden', 'true');
  return element(
    'div',
    `jp-GpuHeadroomCard-diffRow ${MODIFIERS[sign]}`,
    spoken ? element('span', 'jp-GpuHeadroom-spoken', `${spoken} `) : null,
    element('span', 'jp-GpuHeadroomCard-diffLine', String(line)),
    mark,
    element('code', '', text.slice(0, 500))
  );
}
