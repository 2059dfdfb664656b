/**
 * What a record itself has under a key, which may come from a file: every
 * object has a `constructor` that it was not given.
 */
export function own<T>(
  record: Readonly<Record<string, T>>,
  key: string
): T | undefined {
  return Object.prototype.hasOwnProperty.call(record, key)
    ? record[key]
    : undefined;
}
