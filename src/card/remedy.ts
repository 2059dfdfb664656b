import { element, inline } from '../components/dom/element';
import type { IRemedy } from '../protocol';
import { fill } from '../text/fill';
import { diffs } from './diff';
import { effectText, givesMemory } from './effect';
import { progress } from './progress';
import { remedyButtons } from './remedybuttons';
import { snippet } from './snippet';
import { type IContext, isCode, isInserting } from './state';

/**
 * One remedy as an item of the ordered list.
 */
export function remedyItem(
  context: IContext,
  remedy: IRemedy,
  primary: boolean
): HTMLLIElement {
  const title = inline(context.sentence(remedy.title));
  const effect = inline(effectText(context.trans, remedy));
  const text = element(
    'div',
    '',
    element('p', 'jp-GpuHeadroomCard-remedyTitle', ...title),
    element('p', 'jp-GpuHeadroomCard-note', ...note(context, remedy)),
    reason(context, remedy),
    ...diffs(context, remedy),
    snippet(context, remedy)
  );
  const side = element(
    'div',
    'jp-GpuHeadroomCard-remedySide',
    givesMemory(remedy)
      ? element('p', 'jp-GpuHeadroomCard-effect', ...effect)
      : null,
    remedyButtons(context, remedy, primary)
  );
  return element(
    'li',
    'jp-GpuHeadroomCard-remedy',
    element('div', 'jp-GpuHeadroomCard-remedyBody', text, side),
    progress(context, remedy)
  );
}

/** The line of cost, and what to type where no button can do it. */
function note(context: IContext, remedy: IRemedy): Node[] {
  const { sentence, state, trans } = context;
  const { kind, type_this: typed } = remedy;
  const isDone = isCode(remedy)
    ? isInserting(context)
    : state.trust !== 'saved';
  if (typed === null || isDone) {
    return inline(sentence(remedy.note));
  }
  const how =
    kind === 'snippet'
      ? trans.__('Run this in a new cell:')
      : fill(trans.__('Run `{code}` in a new cell.'), {
          code: typed.replace(/`/g, "'")
        });
  return inline(`${sentence(remedy.note)} ${how}`);
}

/** Why what the diff shows is no button. */
function reason({ sentence }: IContext, remedy: IRemedy): HTMLElement | null {
  return remedy.reason === null
    ? null
    : element(
        'p',
        'jp-GpuHeadroomCard-note',
        ...inline(sentence(remedy.reason))
      );
}
