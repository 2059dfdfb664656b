import type { IDiff, IDiffRow } from '../protocol';
import { element } from './element';
import type { IContext } from './state';

/** Rows shown of one diff. */
const MAX_ROWS = 40;

/**
 * The lines that a fix would change. Signs are words for screen readers.
 */
export function diff({ trans }: IContext, model: IDiff): HTMLElement {
  const spoken = {
    '-': trans.__('removed'),
    '+': trans.__('added'),
    ' ': ''
  };
  const node = element(
    'div',
    'jp-GpuHeadroomCard-diff',
    ...model.rows.slice(0, MAX_ROWS).map(item => row(item, spoken[item.sign]))
  );
  node.setAttribute('role', 'group');
  node.setAttribute('aria-label', trans.__('Change to the code'));
  return node;
}

const MODIFIERS = { '-': 'jp-mod-removed', '+': 'jp-mod-added', ' ': '' };

function row({ sign, line, text }: IDiffRow, spoken: string): HTMLElement {
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
