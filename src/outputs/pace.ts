/** Between two polls, and at most while nothing changes. */
const POLL_MS = 2000;
const MOST_POLL_MS = 5000;
const BACK_OFF = 1.5;

/** Without a cell for so long, nothing is asked until a person wants it. */
const IDLE_MS = 600_000;

/** When a frame asks by itself how things stand. */
export class Pace {
  /** Whether it asks no more, as no cell ran for long and nobody wanted anything. */
  isPaused(now: number): boolean {
    return now - this._awakeAt >= IDLE_MS;
  }

  isDue(now: number): boolean {
    return now >= this._pollAt;
  }

  /** A cell runs, or a person wants something. */
  stayAwake(now: number): void {
    this._awakeAt = now;
  }

  askAt(now: number): void {
    this._pollAt = now;
  }

  /** Something was heard: ask again later, and later and later while nothing changes. */
  onHeard(now: number, isAnswer: boolean, isChanged: boolean): void {
    if (isChanged) {
      this._every = POLL_MS;
    } else if (isAnswer) {
      this._every = Math.min(this._every * BACK_OFF, MOST_POLL_MS);
    }
    this._pollAt = now + this._every;
  }

  private _awakeAt = Date.now();
  private _pollAt = 0;
  private _every = POLL_MS;
}
