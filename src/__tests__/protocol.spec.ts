import Ajv, { type ValidateFunction } from 'ajv';
import type * as v from 'valibot';

import schema from '../../python_helper/gpu_headroom/protocol/protocol.schema.json';
import { PROTOCOL_VERSION as PACKED_VERSION } from '../kernel/pack';
import { isCompatible, PROTOCOL_VERSION } from '../protocol';
import { EventSchema } from '../protocol/event';
import { ReplySchema } from '../protocol/reply';
import { StubSchema } from '../protocol/report';
import {
  DEFINITIONS,
  type Definitions,
  formOfDefinition,
  formOfSchema,
  kindsOf
} from './forms';
import {
  EVENTS,
  FRAMES,
  REPLIES,
  REQUESTS,
  UNKNOWN_EVENTS,
  UNKNOWN_REPLIES
} from './samples';

function validator(kind: string): ValidateFunction {
  const ajv = new Ajv({ allowUnionTypes: true });
  ajv.addSchema(schema, 'protocol');
  return ajv.compile({ $ref: `protocol#/definitions/${kind}` });
}

const GROUPS: [string, string, Record<string, object>][] = [
  ['event', '', EVENTS],
  ['request', '_request', { ...REQUESTS }],
  ['reply', '_reply', { ...REPLIES }],
  // An output carries no schemas: its types are held to the wire's by a sample of each.
  ['frame', '', FRAMES]
];

/** The page's schema of each kind of message, by the name of its definition. */
const SCHEMAS = new Map<string, v.GenericSchema>([
  ...EventSchema.options.map(
    each => [each.entries.type.literal as string, each] as const
  ),
  ...ReplySchema.options.map(
    each => [`${each.entries.type.literal}_reply`, each] as const
  ),
  ['stub', StubSchema]
]);

type Mutation = (definitions: Definitions) => unknown;

const MUTATIONS: Record<string, Mutation> = {
  'a key more': ({ device }) =>
    Object.assign(device?.properties ?? {}, { power_w: { type: 'number' } }),
  'a key less': ({ sample }) => delete sample?.properties?.busy,
  'a key that may be missing': ({ cell }) => cell?.required?.pop(),
  'another type': ({ cell }) =>
    Object.assign(cell?.properties?.start_s ?? {}, { type: 'integer' }),
  'null where it was not': ({ oom }) =>
    Object.assign(oom?.properties?.report_id ?? {}, {
      type: ['string', 'null']
    }),
  'not null any more': ({ framework }) =>
    Object.assign(framework?.properties?.ooms ?? {}, { type: 'integer' }),
  'another least value': ({ growth }) =>
    Object.assign(growth?.properties?.runs ?? {}, { minimum: 1 }),
  'a choice more': ({ item_kind }) => item_kind?.enum?.push('all'),
  'another part': ({ remedy }) =>
    Object.assign(remedy?.properties?.title ?? {}, {
      $ref: '#/definitions/detail'
    })
};

describe('protocol', () => {
  describe.each(GROUPS)('%s', (union, suffix, samples) => {
    const cases = Object.entries(samples);

    it('should know the kinds that the schema lists', () => {
      const kinds = Object.keys(samples).map(kind => `${kind}${suffix}`);
      expect(kinds.sort()).toEqual(kindsOf(union).sort());
    });

    it.each(cases)(
      'should have the keys of the schema in %s',
      (kind, sample) => {
        const { properties = {} } = DEFINITIONS[`${kind}${suffix}`] ?? {};
        expect(Object.keys(sample).sort()).toEqual(
          Object.keys(properties).sort()
        );
      }
    );

    it.each(cases)('should be valid by the schema: %s', (kind, sample) => {
      const validate = validator(`${kind}${suffix}`);
      expect(validate(sample) ? [] : validate.errors).toEqual([]);
    });
  });

  it.each(UNKNOWN_EVENTS.map(event => [event.type, event]))(
    'should allow null where the schema does in event %s',
    (_, event) => {
      expect(validator('event')(event)).toBe(true);
    }
  );

  it.each(UNKNOWN_REPLIES.map(reply => [reply.type, reply]))(
    'should allow null where the schema does in reply %s',
    (_, reply) => {
      expect(validator('reply')(reply)).toBe(true);
    }
  );

  it('should have a schema for every kind that comes in', () => {
    const kinds = [...kindsOf('event'), ...kindsOf('reply'), 'stub'];
    expect([...SCHEMAS.keys()].sort()).toEqual(kinds.sort());
  });

  it.each([...SCHEMAS])(
    'should say what the helper says of %s',
    (name, each) => {
      expect(formOfSchema(each)).toEqual(formOfDefinition(name));
    }
  );

  it.each(Object.keys(MUTATIONS))('should notice a drift: %s', name => {
    const changed = JSON.parse(JSON.stringify(DEFINITIONS)) as Definitions;
    MUTATIONS[name]?.(changed);
    const drifted = [...SCHEMAS].filter(
      ([kind, each]) =>
        JSON.stringify(formOfSchema(each)) !==
        JSON.stringify(formOfDefinition(kind, changed))
    );
    expect(drifted).not.toEqual([]);
    expect(drifted.length).toBeLessThan(SCHEMAS.size);
  });

  it('should speak the version of the helper that it carries', () => {
    expect(PROTOCOL_VERSION).toBe(PACKED_VERSION);
  });

  it.each([
    ['2.0', true],
    ['2.7', true],
    ['1.0', false],
    ['20.0', false],
    ['', false]
  ])('should find %j compatible: %j', (version, expected) => {
    expect(isCompatible(version)).toBe(expected);
  });
});
