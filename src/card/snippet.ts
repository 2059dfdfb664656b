import { codeBlock } from '../components/dom/code';
import type { IRemedy } from '../protocol';
import { smallFold } from './fold';
import { type IContext, isInserting } from './state';

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
  const block = codeBlock(code.slice(0, MAX_CODE));
  return isInserting(context)
    ? smallFold(`code ${id}`, context.trans.__('Show the code'), block)
    : block;
}
