import { formatBytes } from '../format';
import type { IReport } from '../protocol';
import { bar, legend, listParts } from './bar';
import { element, inline } from './element';
import { fill } from './fill';
import { remedyList } from './remedylist';
import type { IContext, IWords } from './state';

/** Variables named in the line about the traceback. */
const MAX_VARIABLES = 4;

/**
 * The body while nothing has been freed: what happened, why, what to do.
 */
export function failure(context: IContext, report: IReport): Node[] {
  const { words } = context;
  const { open, more } = remedyList(context, report);
  const body = element(
    'div',
    'jp-GpuHeadroomCard-body',
    ...composition(words, report),
    traceback(words, report),
    ...cause(words, report),
    open ? heading(words.trans.__('What you can do')) : null,
    open
  );
  return more ? [body, more] : [body];
}

function heading(text: string): HTMLElement {
  return element('h4', 'jp-GpuHeadroomCard-heading', text);
}

function composition(words: IWords, report: IReport): HTMLElement[] {
  if (report.parts.length === 0) {
    return [];
  }
  const parts = listParts(words, report.parts);
  return [
    bar(
      report.parts,
      `${words.trans.__('At the moment of failure')}: ${parts}`,
      words
    ),
    legend(words, report.parts)
  ];
}

function traceback({ trans }: IWords, report: IReport): HTMLElement | null {
  const size = report.traceback_bytes;
  if (size === null || size === 0) {
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

function cause(words: IWords, report: IReport): HTMLElement[] {
  if (report.cause === null) {
    return [
      element(
        'p',
        'jp-GpuHeadroomCard-noCause',
        words.trans.__('No single cause stands out.')
      )
    ];
  }
  const { claim, evidence } = report.cause;
  return [
    heading(words.trans.__('Most likely cause')),
    element(
      'p',
      'jp-GpuHeadroomCard-cause',
      ...inline(`${words.sentence(claim)} ${words.sentence(evidence)}`)
    )
  ];
}
