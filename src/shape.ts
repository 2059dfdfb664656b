/**
 * Checks of values from outside, composed from small ones.
 *
 * A check names the first key that is wrong, without its position in a list, so
 * that the same cause reads the same each time.
 */

/** Says what is wrong with a value, or `null` when nothing is. */
export type Check<T> = ((value: unknown, path: string) => string | null) & {
  /** Never set: ties the check to the type that it proves. */
  readonly proves?: T;
};

/** A check for every key of `T`: a missing one does not compile. */
export type Checks<T> = { [K in keyof T]-?: Check<T[K]> };

/** Beyond this nothing is measured: no size, count or time needs more bits. */
const LIMIT = 2 ** 63;

function isNumber(value: unknown): value is number {
  return Number.isFinite(value) && Math.abs(value as number) <= LIMIT;
}

export function when<T>(
  name: string,
  holds: (value: unknown) => boolean
): Check<T> {
  return (value, path) => (holds(value) ? null : `${path} is not ${name}`);
}

export const text = when<string>('a text', value => typeof value === 'string');
export const flag = when<boolean>(
  'true or false',
  value => typeof value === 'boolean'
);
export const number = when<number>('a number', isNumber);
export const integer = when<number>(
  'an integer',
  value => isNumber(value) && Number.isInteger(value)
);

/** A whole number of at least `least`. */
export function atLeast(least: number): Check<number> {
  return when(
    `a whole number of at least ${least}`,
    value => isNumber(value) && Number.isInteger(value) && value >= least
  );
}

export const count = atLeast(0);

export function oneOf<T extends string>(...values: readonly T[]): Check<T> {
  return when('one of the known values', value => values.includes(value as T));
}

export function nullable<T>(check: Check<T>): Check<T | null> {
  return (value, path) => (value === null ? null : check(value, path));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function list<T>(check: Check<T>): Check<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) {
      return `${path} is not a list`;
    }
    for (const item of value) {
      const problem = check(item, `${path}[]`);
      if (problem) {
        return problem;
      }
    }
    return null;
  };
}

export function shape<T>(checks: Checks<T>): Check<T> {
  return (value, path) => {
    if (!isObject(value)) {
      return `${path} is not an object`;
    }
    for (const [key, check] of Object.entries<Check<unknown>>(checks)) {
      const problem = check(value[key], `${path}.${key}`);
      if (problem) {
        return problem;
      }
    }
    return null;
  };
}
