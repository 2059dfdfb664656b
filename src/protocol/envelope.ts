import * as v from 'valibot';

/** An event of a life: what every event carries, and what this one does. */
export function event<K extends string, T extends v.ObjectEntries>(
  type: K,
  entries: T
) {
  return v.object({
    type: v.literal(type),
    /** A new one after every kernel restart. */
    life_id: v.string(),
    ...entries
  });
}

/** The reply to a request. */
export function reply<K extends string, T extends v.ObjectEntries>(
  type: K,
  entries: T
) {
  return v.object({
    type: v.literal(type),
    /** That of the request. */
    id: v.string(),
    ...entries
  });
}
