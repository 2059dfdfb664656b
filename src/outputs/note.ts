/** Log an error for debugging; users see states and sentences instead. */
export function note(what: string, reason: unknown): void {
  console.warn(`GPU Headroom: ${what}`, reason);
}

/** Handle received data; an error is logged and affects nothing else. */
export function attempt(take: () => void): void {
  try {
    take();
  } catch (reason) {
    note('a message was not understood', reason);
  }
}
