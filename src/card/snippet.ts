import { element } from '../components/dom/element';
import type { IRemedy } from '../protocol';
import { smallFold } from './fold';
import type { IContext } from './state';

/** Longest code shown: a saved card may hold anything. */
const MAX_CODE = 4000;

/**
 * The code of a new cell: folded where a button inserts it, else to be read.
 */
export function snippet(
  context: IContext,
  remedy: IRemedy
): HTMLElement | null {
  const { type_this: code, id } = remedy;
  if (remedy.kind !== 'snippet' || code === null) {
    return null;
  }
  const { editing, state, trans } = context;
  const block = element(
    'pre',
    'jp-GpuHeadroomCard-code',
    element('code', '', code.slice(0, MAX_CODE))
  );
  block.tabIndex = 0;
  return state.trust === 'confirmed' && editing.inserts('snippet', state)
    ? smallFold(`code ${id}`, trans.__('Show the code'), block)
    : block;
}
