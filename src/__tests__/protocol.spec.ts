import Ajv, { type ValidateFunction } from 'ajv';

import schema from '../../python_helper/gpu_headroom/protocol/protocol.schema.json';
import { PROTOCOL_VERSION as PACKED_VERSION } from '../kernel/pack';
import { isCompatible, PROTOCOL_VERSION } from '../protocol';
import {
  EVENTS,
  FRAMES,
  REPLIES,
  REQUESTS,
  UNKNOWN_EVENTS,
  UNKNOWN_REPLIES
} from './samples';

/** Definition of a message or of a union of them in `protocol.schema.json`. */
interface IDefinition {
  readonly oneOf?: readonly { $ref: string }[];
  readonly properties?: object;
}

const DEFINITIONS = schema.definitions as Readonly<Record<string, IDefinition>>;

/** The kinds that a union lists. */
function kindsOf(union: string): string[] {
  const { oneOf = [] } = DEFINITIONS[union] ?? {};
  return oneOf.map(({ $ref }) => $ref.split('/').pop() ?? '');
}

function validator(kind: string): ValidateFunction {
  const ajv = new Ajv({ allowUnionTypes: true });
  ajv.addSchema(schema, 'protocol');
  return ajv.compile({ $ref: `protocol#/definitions/${kind}` });
}

const GROUPS: [string, string, Record<string, object>][] = [
  ['event', '', EVENTS],
  ['request', '_request', { ...REQUESTS }],
  ['reply', '_reply', { ...REPLIES }],
  // An output includes no schemas: samples check its types against the wire protocol.
  ['frame', '', FRAMES]
];

describe('protocol', () => {
  describe.each(GROUPS)('%s', (union, suffix, samples) => {
    const cases = Object.entries(samples);

    it('should have the kinds that the schema lists', () => {
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

  it('should have the protocol version of its bundled helper', () => {
    expect(PROTOCOL_VERSION).toBe(PACKED_VERSION);
  });

  it.each([
    ['2.0', true],
    ['2.7', true],
    ['1.0', false],
    ['20.0', false],
    ['', false]
  ])('should treat %j as compatible: %j', (version, expected) => {
    expect(isCompatible(version)).toBe(expected);
  });
});
