/** Maximum number of times that a helper is injected into one kernel process. */
const MOST_STARTS = 3;

/** Maximum number of retries after a silent kernel shows activity. */
const MOST_SIGNS = 3;

/**
 * Delays between requests to a kernel that does not reply, in milliseconds: about five
 * minutes in total, since native code may hold the interpreter that long.
 */
export const WAITS_MS: readonly number[] = [
  1000, 2000, 5000, 10_000, 30_000, 60_000, 120_000
];

/**
 * Limits on attempts with one kernel process. Attempts cost the kernel work and add
 * lines to the server's log, so after a few only the user can request more.
 */
export class Attempts {
  /** Reset after a kernel restart or a request of the user. */
  clear(): void {
    this._starts = 0;
    this._signs = 0;
  }

  /** Count a helper about to be injected; false if the limit is reached. */
  start(): boolean {
    return ++this._starts <= MOST_STARTS;
  }

  /** Count activity of a silent kernel; false if the limit is reached. */
  sign(): boolean {
    return ++this._signs <= MOST_SIGNS;
  }

  private _starts = 0;
  private _signs = 0;
}
