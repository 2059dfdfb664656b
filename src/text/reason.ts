/** Message of a rejection for the user. */
export function sentenceOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
