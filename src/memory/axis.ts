/**
 * The axis of a timeline: how much of the session it shows, and up to when.
 */

/** What can be chosen, in seconds; the last is the whole session. */
export const SPANS_S: readonly number[] = [30, 120, 300, 900, 3600, Infinity];

/** A session that has just begun is shown as if it were so long. */
const SHORTEST_S = 30;

/** Of what is shown: no further from now is now. */
const NEAR = 0.05;

/** What a person has chosen to see. */
export interface IView {
  /** One of `SPANS_S`; `null`: as the session grows. */
  readonly span_s: number | null;
  /** Where it ends, by the kernel's clock; `null`: now. */
  readonly end_s: number | null;
}

/** All that there is, until now. */
export const AUTOMATIC: IView = { span_s: null, end_s: null };

/** What is shown, in seconds of the kernel's clock. */
export interface IAxis {
  /** One of `SPANS_S`. */
  readonly span_s: number;
  readonly start_s: number;
  readonly end_s: number;
}

/**
 * The axis of a session as it grows.
 *
 * @param first_s - when it was first read
 */
export function axisOf(first_s: number, now_s: number): IAxis {
  const span_s = SPANS_S.find(each => each >= now_s - first_s) ?? Infinity;
  const start_s = span_s < Infinity ? now_s - span_s : first_s;
  return { span_s, start_s, end_s: now_s };
}

/** The axis that a person has chosen. */
export function chosenAxis(first_s: number, now_s: number, view: IView): IAxis {
  const span_s = view.span_s ?? axisOf(first_s, now_s).span_s;
  const whole_s = Math.max(SHORTEST_S, now_s - first_s);
  const shown_s = span_s < Infinity ? span_s : whole_s;
  // No further back than the first reading stands at the left.
  const earliest_s = first_s + shown_s;
  const end_s = Math.min(now_s, Math.max(view.end_s ?? now_s, earliest_s));
  return { span_s, start_s: end_s - shown_s, end_s };
}

/**
 * The view of more or less time around a moment, which keeps its place.
 *
 * @param step - 1 for the next longer span, −1 for the next shorter one
 */
export function zoomed(
  axis: IAxis,
  step: 1 | -1,
  at_s: number,
  now_s: number
): IView {
  const { end_s, span_s, start_s } = axis;
  const shown_s = end_s - start_s;
  const shorter = SPANS_S.filter(each => each < shown_s).pop();
  const longer = SPANS_S.find(each => each > span_s);
  const next = (step < 0 ? shorter : longer) ?? span_s;
  const share = (end_s - at_s) / shown_s;
  return ending(next, at_s + share * next, now_s);
}

/** The view of so much earlier. */
export function moved(axis: IAxis, earlier_s: number, now_s: number): IView {
  return ending(axis.span_s, axis.end_s - earlier_s, now_s);
}

/** A view that ends there; one that ends about now goes on with the time. */
function ending(span_s: number, end_s: number, now_s: number): IView {
  const isNow = !Number.isFinite(span_s) || now_s - end_s < NEAR * span_s;
  return { span_s, end_s: isNow ? null : end_s };
}
