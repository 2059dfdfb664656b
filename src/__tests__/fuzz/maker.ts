/**
 * Messages by the schema, and mutations of them, seeded, so that each run is alike.
 *
 * The counterpart of `python_helper/tests/fuzz/mutate.py`. `GPU_HEADROOM_FUZZ` is the
 * number of messages that each test makes, `GPU_HEADROOM_FUZZ_SEED` the seed.
 */
import schema from '../../../python_helper/gpu_headroom/protocol/protocol.schema.json';

interface ISchema {
  $ref?: string;
  additionalProperties?: boolean | ISchema;
  anyOf?: ISchema[];
  const?: unknown;
  enum?: unknown[];
  items?: ISchema;
  minimum?: number;
  oneOf?: ISchema[];
  properties?: Record<string, ISchema>;
  type?: string | string[];
}

type Holder = Record<string | number, unknown>;

/** Maximum number of levels of a message in which something is mutated. */
const LOOKED_INTO = 10;

/** Maximum length of random texts and lists, and depth of junk. */
const LONG = 5000;
const DEEP = 500;

export const TEXTS = [
  '',
  'helper-1',
  'traceback',
  'variable:x',
  'constructor',
  '__proto__',
  'é🔥\u202e\u0000\n',
  '\ud800 \udc80',
  '%1 %2 {bytes} `code` **strong**',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '`</code><script>alert(1)</script>`',
  '**</strong><iframe src="javascript:alert(1)">**',
  '[a](javascript:alert(1)) <!--'
];

/** Numbers as parsed by `JSON.parse`, `1e999` included. */
const NUMBERS = [
  0,
  1,
  -1,
  0.5,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  2 ** 64,
  1e308,
  -1e308,
  Infinity,
  -0
];

const SEED = Number(process.env.GPU_HEADROOM_FUZZ_SEED ?? 9);

/** Number of messages to make: by default as many as suit the time of a test. */
export function howMany(usual: number): number {
  return Number(process.env.GPU_HEADROOM_FUZZ ?? usual);
}

/** Makes messages of the schema, and mutates them. */
export class Maker {
  constructor(private _state = SEED) {}

  /** At least 0, below 1 (mulberry32). */
  random(): number {
    this._state = (this._state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this._state ^ (this._state >>> 15), 1 | this._state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Whether something happens that has this probability. */
  happens(probability: number): boolean {
    return this.random() < probability;
  }

  choice<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)] as T;
  }

  /** The names of all definitions that a union lists. */
  kinds(union: string): string[] {
    return (definitionOf(union).oneOf ?? []).map(nameOf);
  }

  /** A message that the schema allows. */
  valid(definition: string): Record<string, unknown> {
    return this._of(definitionOf(definition)) as Record<string, unknown>;
  }

  /** A message with a few mutations, which may still be valid. */
  spoilt(message: unknown): unknown {
    const found: unknown = JSON.parse(JSON.stringify(message));
    for (let count = 1 + Math.floor(3 * this.random()); count > 0; count--) {
      const places = placesIn(found);
      if (places.length === 0 || this.happens(0.02)) {
        return this.junk();
      }
      this._spoil(...this.choice(places));
    }
    return found;
  }

  /** Any value at all. */
  junk(): unknown {
    if (this.happens(0.01)) {
      return this._deep();
    }
    return this.choice<unknown>([
      null,
      true,
      false,
      [],
      {},
      [[null]],
      { '': {} },
      this.choice(TEXTS),
      this.choice(NUMBERS),
      this.choice(NUMBERS),
      'y'.repeat(LONG)
    ]);
  }

  private _spoil(inside: Holder, key: string | number): void {
    const before = inside[key];
    const chance = this.random();
    if (chance < 0.15) {
      this._drop(inside, key);
    } else if (chance < 0.3 && Array.isArray(inside)) {
      inside.splice(key as number, 0, before);
    } else if (chance < 0.4) {
      inside[this.choice(Object.keys(inside))] = before;
    } else if (chance < 0.6 && typeof before === 'number') {
      inside[key] = this.choice(NUMBERS);
    } else {
      inside[key] = this.junk();
    }
  }

  private _drop(inside: Holder, key: string | number): void {
    if (Array.isArray(inside)) {
      inside.splice(key as number, 1);
    } else {
      Reflect.deleteProperty(inside, key);
    }
  }

  private _deep(): unknown {
    let found: unknown = 'deep';
    for (let depth = 0; depth < DEEP; depth++) {
      found = this.happens(0.5) ? [found] : { a: found };
    }
    return found;
  }

  private _of(part: ISchema): unknown {
    const choices = part.oneOf ?? part.anyOf;
    if (part.$ref !== undefined) {
      return this.valid(nameOf(part));
    }
    if (choices) {
      return this._of(this.choice(choices));
    }
    if (part.const !== undefined) {
      return part.const;
    }
    return part.enum ? this.choice(part.enum) : this._ofType(part);
  }

  private _ofType(part: ISchema): unknown {
    const type = Array.isArray(part.type) ? this.choice(part.type) : part.type;
    const least = part.minimum ?? -(2 ** 40);
    switch (type) {
      case 'object':
        return this._object(part);
      case 'array':
        return Array.from({ length: this._few() }, () =>
          this._of(part.items ?? {})
        );
      case 'integer':
        return Math.max(least, this.choice([0, 1, 2, this._size()]));
      case 'number':
        return Math.max(least, this.choice([0, 2, this.random() * 1000]));
      case 'boolean':
        return this.happens(0.5);
      case 'string':
        return this.choice(TEXTS);
      default:
        return null;
    }
  }

  private _object(part: ISchema): Holder {
    const found: Holder = {};
    for (const [key, value] of Object.entries(part.properties ?? {})) {
      found[key] = this._of(value);
    }
    const others = part.additionalProperties;
    for (
      let count = this._few();
      typeof others === 'object' && count;
      count--
    ) {
      found[this.choice(TEXTS)] = this._of(others);
    }
    return found;
  }

  private _few(): number {
    return Math.floor(4 * this.random());
  }

  private _size(): number {
    return Math.floor(2 ** (40 * this.random()));
  }
}

function definitionOf(name: string): ISchema {
  const definitions = schema.definitions as unknown as Record<string, ISchema>;
  return definitions[name] ?? {};
}

function nameOf({ $ref }: ISchema): string {
  return $ref?.split('/').pop() ?? '';
}

/** Containers of each value inside a message, with its key. */
function placesIn(value: unknown, depth = 0): [Holder, string | number][] {
  if (typeof value !== 'object' || value === null || depth > LOOKED_INTO) {
    return [];
  }
  const inside = value as Holder;
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap(key => [
    [inside, key] as [Holder, string | number],
    ...placesIn(inside[key], depth + 1)
  ]);
}
