import { formatBytes } from '../format';
import type { IRemedy, IReport } from '../protocol';
import { diff } from './diff';
import { element, inline } from './element';
import { fill } from './fill';
import { progress } from './progress';
import { remedyButtons } from './remedybuttons';
import type { IContext, ITranslate } from './state';

/**
 * One remedy as an item of the ordered list.
 */
export function remedyItem(
  context: IContext,
  report: IReport,
  remedy: IRemedy,
  primary: boolean
): HTMLLIElement {
  const { words } = context;
  const text = element(
    'div',
    '',
    element(
      'p',
      'jp-GpuHeadroomCard-remedyTitle',
      ...inline(words.sentence(remedy.title))
    ),
    element('p', 'jp-GpuHeadroomCard-note', ...note(context, remedy)),
    remedy.diff ? diff(context, remedy.diff) : null
  );
  const side = element(
    'div',
    'jp-GpuHeadroomCard-remedySide',
    report.poisoned ? null : effect(context, remedy),
    remedyButtons(context, report, remedy, primary)
  );
  return element(
    'li',
    'jp-GpuHeadroomCard-remedy',
    element('div', 'jp-GpuHeadroomCard-remedyBody', text, side),
    progress(context, remedy)
  );
}

/** The line of cost, and what to type where no button can do it. */
function note({ words, state }: IContext, remedy: IRemedy): Node[] {
  const sentence = words.sentence(remedy.note);
  const typed = remedy.type_this;
  const typing =
    typed !== null && (state.trust === 'saved' || remedy.kind === 'snippet')
      ? ` ${fill(words.trans.__('Run `{code}` in a new cell.'), { code: typed.replace(/`/g, "'") })}`
      : '';
  return inline(sentence + typing);
}

function effect({ words }: IContext, remedy: IRemedy): HTMLElement {
  const bytes = remedy.effect_bytes;
  const size =
    bytes === null
      ? ''
      : `**${remedy.kind === 'release' ? '' : '−'}${formatBytes(bytes)}**`;
  const quality = bytes === null ? 'not_measured' : remedy.effect_quality;
  const template = effectIn(words.trans, quality);
  return element(
    'p',
    'jp-GpuHeadroomCard-effect',
    ...inline(fill(template, { effect: size }))
  );
}

function effectIn(
  trans: ITranslate,
  quality: IRemedy['effect_quality']
): string {
  switch (quality) {
    case 'measured':
      return trans.__('{effect} measured');
    case 'estimated':
      return trans.__('about {effect} estimated');
    case 'not_measured':
      return trans.__('not measured');
  }
}
