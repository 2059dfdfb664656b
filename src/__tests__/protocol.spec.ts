import Ajv, { type ValidateFunction } from 'ajv';

import schema from '../../python_helper/gpu_headroom/protocol/protocol.schema.json';
import { PROTOCOL_VERSION as PACKED_VERSION } from '../kernel/packs';
import { isCompatible, PROTOCOL_VERSION } from '../protocol';
import {
  EVENTS,
  REPLIES,
  REQUESTS,
  UNKNOWN_EVENTS,
  UNKNOWN_REPLIES
} from './samples';

type Definitions = Record<
  string,
  { properties?: object; oneOf?: { $ref: string }[] }
>;

const definitions = schema.definitions as Definitions;

function validator(kind: string, truth: object = schema): ValidateFunction {
  const ajv = new Ajv({ allowUnionTypes: true });
  ajv.addSchema(truth, 'protocol');
  return ajv.compile({ $ref: `protocol#/definitions/${kind}` });
}

/** The kinds that a union of the schema lists. */
function kindsOf(union: string): string[] {
  const refs = definitions[union]?.oneOf ?? [];
  return refs.map(({ $ref }) => $ref.split('/').pop() ?? '').sort();
}

const GROUPS: [string, string, Record<string, object>][] = [
  ['event', '', EVENTS],
  ['request', '_request', { ...REQUESTS }],
  ['reply', '_reply', { ...REPLIES }]
];

describe('protocol', () => {
  describe.each(GROUPS)('%s', (union, suffix, samples) => {
    const cases = Object.entries(samples);

    it('should know the kinds that the schema lists', () => {
      const kinds = Object.keys(samples).map(kind => `${kind}${suffix}`);
      expect(kinds.sort()).toEqual(kindsOf(union));
    });

    it.each(cases)(
      'should have the keys of the schema in %s',
      (kind, sample) => {
        const { properties = {} } = definitions[`${kind}${suffix}`] ?? {};
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

  it('should go red when the schema gains a key', () => {
    const changed = JSON.parse(JSON.stringify(schema)) as typeof schema;
    Object.assign(changed.definitions.device.properties, {
      power_w: { type: 'number' }
    });
    changed.definitions.device.required.push('power_w');
    expect(validator('sample', changed)(EVENTS.sample)).toBe(false);
  });

  it('should go red when the schema renames a key', () => {
    const text = JSON.stringify(schema).replace(/used_bytes/g, 'usage_bytes');
    const changed = JSON.parse(text) as object;
    expect(validator('sample', changed)(EVENTS.sample)).toBe(false);
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
