import { bar, legend } from '../components/dom/bar';
import { element, inline } from '../components/dom/element';
import { fill } from '../text/fill';
import { formatBytes } from '../text/format';
import { listParts, named } from '../text/parts';
import { causes, heading } from './causes';
import { remedyList } from './remedylist';
import type { IContext } from './state';

/** Variables named in the line about the traceback. */
const MAX_VARIABLES = 4;

/**
 * The body while nothing has been freed: what happened, why, what to do.
 */
export function failure(context: IContext): (Node | null)[] {
  const { open, more } = remedyList(context);
  const body = element(
    'div',
    'jp-GpuHeadroomCard-body',
    ...composition(context),
    traceback(context),
    ...causes(context),
    open ? heading(context.trans.__('What you can do')) : null,
    open
  );
  return [body, more];
}

function composition({ report, trans }: IContext): HTMLElement[] {
  const parts = named(report.parts, trans);
  const label = `${trans.__('At the moment of failure')}: ${listParts(parts)}`;
  return parts.length === 0 ? [] : [bar(parts, label, true), legend(parts)];
}

function traceback({ report, trans }: IContext): HTMLElement | null {
  const size = report.traceback_bytes;
  if (!size) {
    return null;
  }
  const variables = report.traceback_variables
    .slice(0, MAX_VARIABLES)
    .map(held => `\`${held.name}\` ${formatBytes(held.bytes)}`)
    .join(', ');
  const template = variables
    ? trans.__(
        'The traceback of this error still keeps {traceback_bytes} in use: {variables}.'
      )
    : trans.__(
        'The traceback of this error still keeps {traceback_bytes} in use.'
      );
  const sentence = fill(template, { traceback_bytes: size, variables });
  return element('p', 'jp-GpuHeadroomCard-traceback', ...inline(sentence));
}
