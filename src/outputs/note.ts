/** For whoever looks for the cause: what a person reads are states and sentences. */
export function note(what: string, reason: unknown): void {
  console.warn(`GPU Headroom: ${what}`, reason);
}

/** Take in what came; what cannot be understood costs nothing but itself. */
export function attempt(take: () => void): void {
  try {
    take();
  } catch (reason) {
    note('a message was not understood', reason);
  }
}
