import type { IRemedy, IReport } from '../protocol';
import { fold } from './details';
import { element } from './element';
import { remedyItem } from './remedy';
import type { IContext } from './state';

/** Remedies on view; the rest waits under "More options". */
const MAX_OPEN = 4;

/** Remedies drawn at all. */
const MAX_REMEDIES = 20;

/** One primary button per card: the first release. */
function list(
  context: IContext,
  report: IReport,
  remedies: readonly IRemedy[],
  start: number
): HTMLElement {
  const first = remedies.find(remedy => remedy.kind === 'release');
  const node = element(
    'ol',
    'jp-GpuHeadroomCard-remedies',
    ...remedies.map(remedy =>
      remedyItem(context, report, remedy, start === 1 && remedy === first)
    )
  );
  node.setAttribute('role', 'list');
  node.start = start;
  node.style.counterReset = `gpu-headroom-remedy ${start - 1}`;
  return node;
}

/**
 * The remedies of the first rank, and the rest folded away.
 */
export function remedyList(
  context: IContext,
  report: IReport
): { open: HTMLElement | null; more: HTMLElement | null } {
  const remedies = report.remedies.slice(0, MAX_REMEDIES);
  const more = remedies.slice(MAX_OPEN);
  return {
    open:
      remedies.length > 0
        ? list(context, report, remedies.slice(0, MAX_OPEN), 1)
        : null,
    more: more.length > 0 ? moreOptions(context, report, more) : null
  };
}

function moreOptions(
  context: IContext,
  report: IReport,
  remedies: readonly IRemedy[]
): HTMLElement {
  return fold(
    'more',
    context.words.trans.__('More options'),
    String(remedies.length),
    list(context, report, remedies, MAX_OPEN + 1)
  );
}

/**
 * After a release: everything but what has been freed.
 */
export function otherWays(
  context: IContext,
  report: IReport
): HTMLElement | null {
  const remedies = report.remedies
    .slice(0, MAX_REMEDIES)
    .filter(remedy => remedy.kind !== 'release');
  return remedies.length > 0
    ? fold(
        'more',
        context.words.trans.__('Ways to use less memory'),
        String(remedies.length),
        list(context, report, remedies, 1)
      )
    : null;
}
