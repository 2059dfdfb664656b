import { element } from '../components/dom/element';
import type { IRemedy } from '../protocol';
import { fold } from './fold';
import { remedyItem } from './remedy';
import type { IContext } from './state';

/** Remedies on view; the rest waits under "More options". */
const MAX_OPEN = 4;

/** Remedies drawn at all. */
const MAX_REMEDIES = 20;

/** Characters of a title in the line that lists them. */
const MAX_TITLE = 120;

/** One primary button per card: the first release. `null` where there is none. */
function list(
  context: IContext,
  remedies: readonly IRemedy[],
  start: number
): HTMLElement | null {
  if (remedies.length === 0) {
    return null;
  }
  const first = remedies.find(remedy => remedy.kind === 'release');
  const node = element(
    'ol',
    'jp-GpuHeadroomCard-remedies',
    ...remedies.map(remedy =>
      remedyItem(context, remedy, start === 1 && remedy === first)
    )
  );
  node.setAttribute('role', 'list');
  node.start = start;
  node.style.counterReset = `gpu-headroom-remedy ${start - 1}`;
  return node;
}

/** A training that no kernel holds any more cannot be saved. */
function offered({ report, state }: IContext): readonly IRemedy[] {
  return report.remedies
    .slice(0, MAX_REMEDIES)
    .filter(({ kind }) => kind !== 'save' || state.trust !== 'saved');
}

/**
 * The remedies of the first rank, and the rest folded away.
 */
export function remedyList(context: IContext): {
  open: HTMLElement | null;
  more: HTMLElement | null;
} {
  const { trans } = context;
  const remedies = offered(context);
  const title = trans.__('More options');
  return {
    open: list(context, remedies.slice(0, MAX_OPEN), 1),
    more: more(context, title, remedies.slice(MAX_OPEN), MAX_OPEN + 1)
  };
}

function more(
  context: IContext,
  title: string,
  remedies: readonly IRemedy[],
  start: number
): HTMLElement | null {
  const content = list(context, remedies, start);
  const titles = remedies.map(each => plain(context.sentence(each.title)));
  return content && fold('more', title, titles.join(', '), content);
}

/** Without marks. */
function plain(sentence: string): string {
  return sentence.slice(0, MAX_TITLE).replace(/\*\*|`/g, '');
}

/**
 * After a release: everything but what has been freed.
 */
export function otherWays(context: IContext): HTMLElement | null {
  const remedies = offered(context).filter(({ kind }) => kind !== 'release');
  const title = context.trans.__('Ways to use less memory');
  return more(context, title, remedies, 1);
}
