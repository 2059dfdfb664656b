/** How often a helper is put into one life of a kernel. */
const MOST_STARTS = 3;

/** How often a kernel that did not answer is asked again because it shows life. */
const MOST_SIGNS = 3;

/**
 * Waits between questions to a kernel that does not answer, in milliseconds:
 * some five minutes, as long as native code may hold the interpreter.
 */
export const WAITS_MS: readonly number[] = [
  1000, 2000, 5000, 10_000, 30_000, 60_000, 120_000
];

/**
 * What was tried with one life of a kernel. Attempts cost the kernel work and fill
 * the server's log: after a few, a person is told, and may want more of them.
 */
export class Attempts {
  /** The kernel began a new life, or a person wants more. */
  clear(): void {
    this._starts = 0;
    this._signs = 0;
  }

  /** Count a helper that is about to be put in; false: they were enough. */
  start(): boolean {
    return ++this._starts <= MOST_STARTS;
  }

  /** Count a sign of life of a silent kernel; false: they were enough. */
  sign(): boolean {
    return ++this._signs <= MOST_SIGNS;
  }

  private _starts = 0;
  private _signs = 0;
}
