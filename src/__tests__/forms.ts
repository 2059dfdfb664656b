import type * as v from 'valibot';

import protocol from '../../python_helper/gpu_headroom/protocol/protocol.schema.json';
import { MessageSchema } from '../protocol/message';

/** What `protocol.schema.json` uses of JSON Schema. */
interface IPart {
  $ref?: string;
  anyOf?: IPart[];
  oneOf?: IPart[];
  const?: unknown;
  enum?: unknown[];
  items?: IPart;
  minimum?: number;
  properties?: Record<string, IPart>;
  required?: string[];
  type?: string | string[];
}

export type Definitions = Record<string, IPart>;

export const DEFINITIONS = protocol.definitions as unknown as Definitions;

/** What a value may be, said alike for both kinds of schemas. */
export type Form =
  | { type: string; minimum?: number }
  | { choices: readonly unknown[] }
  | { items: Form }
  | { keys: Record<string, Form> }
  | { nullable: Form };

/** The kinds that a union lists. */
export function kindsOf(union: string, definitions = DEFINITIONS): string[] {
  return (definitions[union]?.oneOf ?? []).map(nameOf);
}

function nameOf({ $ref }: IPart): string {
  return $ref?.split('/').pop() ?? '';
}

/** Of a definition; a key that may be missing has no form. */
export function formOfDefinition(
  name: string,
  definitions = DEFINITIONS
): Form {
  const form = (part: IPart): Form => {
    if (part.$ref !== undefined) {
      return formOfDefinition(nameOf(part), definitions);
    }
    const types = [part.type ?? []].flat();
    const all = part.anyOf ?? types.map(type => ({ ...part, type }));
    if (all.length > 1) {
      const [value = {}] = all.filter(({ type }) => type !== 'null');
      return { nullable: form(value) };
    }
    if (part.enum || part.const !== undefined) {
      return { choices: (part.enum ?? [part.const]).slice().sort() };
    }
    if (part.items) {
      return { items: form(part.items) };
    }
    if (part.properties) {
      return {
        keys: formsOf(part.properties, (value, key) =>
          part.required?.includes(key) ? form(value) : { type: 'optional' }
        )
      };
    }
    return { type: String(part.type), minimum: part.minimum };
  };
  return form(definitions[name] ?? {});
}

/** What the page's schemas are made of, besides their type. */
interface IInner {
  entries: Record<string, v.GenericSchema>;
  item: v.GenericSchema;
  literal: unknown;
  options: readonly unknown[];
  pipe: readonly { type: string; requirement?: unknown }[];
  wrapped: v.GenericSchema;
}

/** Of a schema of the page. */
export function formOfSchema(schema: v.GenericSchema): Form {
  const inner = schema as unknown as IInner;
  switch (schema.type) {
    case 'nullable':
      return { nullable: formOfSchema(inner.wrapped) };
    case 'picklist':
      return { choices: inner.options.slice().sort() };
    case 'literal':
      return { choices: [inner.literal] };
    case 'array':
      return { items: formOfSchema(inner.item) };
    case 'object':
    case 'strict_object':
      return { keys: formsOf(inner.entries, formOfSchema) };
    case 'number':
      return formOfNumber(inner);
    case 'custom':
      // What params may hold, the tests of the parser ask.
      return {
        type: schema === MessageSchema.entries.params ? 'object' : 'unknown'
      };
    default:
      return { type: schema.type };
  }
}

function formOfNumber({ pipe }: IInner): Form {
  const asked = new Map(pipe.map(item => [item.type, item.requirement]));
  const least = asked.get('min_value') as number;
  return {
    type: asked.has('integer') ? 'integer' : 'number',
    minimum: least === -(2 ** 63) ? undefined : least
  };
}

function formsOf<T>(
  parts: Record<string, T>,
  form: (part: T, key: string) => Form
): Record<string, Form> {
  return Object.fromEntries(
    Object.entries(parts)
      .map(([key, part]): [string, Form] => [key, form(part, key)])
      .sort(([one], [other]) => (one < other ? -1 : 1))
  );
}
