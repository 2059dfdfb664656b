import * as v from 'valibot';

/** Upper bound of all numbers: no size, count or time needs more bits. */
const LIMIT = 2 ** 63;

function whole(least: number, flaw: string) {
  return v.pipe(
    v.number(flaw),
    v.integer(flaw),
    v.minValue(least, flaw),
    v.maxValue(LIMIT, flaw)
  );
}

const NO_NUMBER = 'is not a number';
export const number = v.pipe(
  v.number(NO_NUMBER),
  v.minValue(-LIMIT, NO_NUMBER),
  v.maxValue(LIMIT, NO_NUMBER)
);

export const integer = whole(-LIMIT, 'is not an integer');

/** An integer of at least `least`. */
export function atLeast(least: number) {
  return whole(least, `is not a whole number of at least ${least}`);
}

export const count = atLeast(0);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Plain = string | number | boolean | null;

// Not `v.record`, which silently omits keys such as `constructor`.
function isPlain(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.values(value).every(
      item =>
        item === null ||
        typeof item === 'string' ||
        typeof item === 'boolean' ||
        v.is(number, item)
    )
  );
}

/** An object of plain values. */
export const plain = v.custom<Record<string, Plain>>(
  isPlain,
  'is not an object of plain values'
);
