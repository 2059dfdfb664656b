/**
 * What a rejection says to a person.
 */
export function sentenceOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
