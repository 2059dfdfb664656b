/**
 * The axis of a timeline: the whole session, or its last minutes.
 */

/** The last minutes, in seconds. */
export const MINUTES_S = 300;

/** A session that has just begun is shown as if it were so long. */
const SHORTEST_S = 30;

/** What is shown, in seconds of the kernel's clock; it ends now. */
export interface IAxis {
  readonly start_s: number;
  readonly end_s: number;
}

/**
 * The axis of a session.
 *
 * @param first_s - when it was first read
 * @param isWhole - whether all of it is shown
 */
export function axisOf(first_s: number, now_s: number, isWhole = true): IAxis {
  const age_s = Math.max(SHORTEST_S, now_s - first_s);
  const shown_s = isWhole ? age_s : Math.min(MINUTES_S, age_s);
  return { start_s: now_s - shown_s, end_s: now_s };
}
