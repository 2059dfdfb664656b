import type { IContext } from './state';

/**
 * Whether the measurement of a failure goes on. A card that nobody vouches for
 * is never completed, whatever it says.
 */
export function isLooking({
  report,
  state
}: Pick<IContext, 'report' | 'state'>): boolean {
  return report.looking && state.trust !== 'saved';
}
