/** Wait until changes are rendered. */
export function rendered(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 40));
}

/** Wait for a condition, two seconds at most. */
export async function until(isTrue: () => boolean): Promise<void> {
  for (let round = 0; round < 50 && !isTrue(); round++) {
    await rendered();
  }
}
