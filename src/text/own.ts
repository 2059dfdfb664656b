/**
 * Own property of a record under a key, which may come from a file: every object
 * inherits a `constructor`.
 */
export function own<T>(
  record: Readonly<Record<string, T>>,
  key: string
): T | undefined {
  return Object.prototype.hasOwnProperty.call(record, key)
    ? record[key]
    : undefined;
}
