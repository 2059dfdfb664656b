import Ajv from 'ajv';

import schema from '../../python_helper/gpu_headroom/protocol/protocol.schema.json';
import { parseEvent, parseReply, parseReport } from '../protocol';
import type { Reply } from '../protocol';
import { message, REPORT } from './report';
import {
  DEVICE,
  EVENTS,
  REPLIES,
  UNKNOWN_EVENTS,
  UNKNOWN_REPLIES
} from './samples';

/** Values of every type, some of which are valid nowhere. */
const INTRUDERS: unknown[] = [
  null,
  undefined,
  true,
  -1,
  0,
  1.5,
  'intruder',
  [],
  ['intruder'],
  {}
];

type Path = (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) {
    return [path];
  }
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value);
  return [
    path,
    ...entries.flatMap(([key, item]) => pathsOf(item, [...path, key]))
  ];
}

function replace(value: unknown, path: Path, by: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    return by;
  }
  const copy = (
    Array.isArray(value) ? value.slice() : { ...(value as object) }
  ) as Record<string | number, unknown>;
  copy[key] = replace(copy[key], rest, by);
  return copy;
}

/** Data from a socket has no undefined values. */
const wire = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

describe('parser', () => {
  let warn: jest.SpyInstance;

  beforeEach(() => {
    warn = jest.spyOn(console, 'warn').mockImplementation();
  });

  afterEach(() => {
    warn.mockRestore();
  });

  const ajv = new Ajv({ allowUnionTypes: true }).addSchema(schema, 'protocol');
  const groups = [
    ['event', parseEvent, [...Object.values(EVENTS), ...UNKNOWN_EVENTS]],
    [
      'reply',
      parseReply,
      [...Object.values<Reply>({ ...REPLIES }), ...UNKNOWN_REPLIES]
    ]
  ] as const;

  describe.each(groups)('%s', (union, parse, samples) => {
    const validate = ajv.compile({ $ref: `protocol#/definitions/${union}` });
    const cases = samples.map(sample => [sample.type, sample] as const);

    it.each(cases)('should read %s', (_, sample) => {
      expect(parse(sample)).toBe(sample);
      expect(warn).not.toHaveBeenCalled();
    });

    it.each(cases)(
      'should agree with the schema on every wrong value in %s',
      (_, sample) => {
        const wrong: string[] = [];
        for (const path of pathsOf(sample)) {
          for (const intruder of INTRUDERS) {
            const changed = wire(replace(sample, path, intruder));
            const isValid = validate(changed);
            if (isValid !== (parse(changed) !== null)) {
              wrong.push(`${path.join('.')} = ${JSON.stringify(intruder)}`);
            }
          }
        }
        expect(wrong).toEqual([]);
      }
    );
  });

  it('should log one sentence for each cause', () => {
    const event = { ...EVENTS.bye, reason: 'bored' };
    expect(parseEvent(event)).toBeNull();
    expect(parseEvent({ ...event, helper_id: 'another' })).toBeNull();
    const sentences = warn.mock.calls.filter(([text]) =>
      String(text).includes('bye.reason')
    );
    expect(sentences.length).toBeLessThanOrEqual(1);
  });

  it.each([
    ['bye.reason', { reason: 'bored' }, 'is not ("unloaded" | "replaced")'],
    ['bye.reason', { reason: undefined }, 'is missing'],
    [
      'sample.devices[].index',
      { devices: [DEVICE, { ...DEVICE, index: -1 }] },
      'is not a whole number of at least 0'
    ],
    [
      'plan.message.params',
      {
        message: {
          ...message(''),
          params: JSON.parse('{"__proto__":[]}') as object
        }
      },
      'is not an object of plain values'
    ]
  ])('should name %s in %j', async (place, change, flaw) => {
    const [kind] = place.split('.') as ['bye' | 'sample' | 'plan'];
    const event = wire({ ...EVENTS[kind], ...change });
    await jest.isolateModulesAsync(async () => {
      const fresh = await import('../protocol');
      expect(fresh.parseEvent(event)).toBeNull();
    });
    expect(warn).toHaveBeenCalledWith(
      `GPU Headroom: a malformed event was ignored: ${place} ${flaw}.`
    );
  });

  it.each([[{ type: 'gossip' }], [{ type: 'constructor' }], ['x'], [null]])(
    'should ignore the unknown event %j',
    data => {
      expect(parseEvent(data)).toBeNull();
    }
  );

  it('should keep keys that a newer helper may add', () => {
    const event = { ...EVENTS.bye, mood: 'good' };
    expect(parseEvent(event)).toBe(event);
  });

  it('should distinguish a report, a stub, and neither', () => {
    const { version, report_id, helper_id } = REPORT;
    const stub = { version, report_id, helper_id };
    expect(parseReport(REPORT)).toBe(REPORT);
    expect(parseReport(stub)).toBe(stub);
    expect(parseReport({ ...REPORT, parts: 'all of it' })).toBeNull();
  });

  it.each([10 ** 300, Infinity])('should read no report of %d bytes', bytes => {
    const label = message('detail.x', { size_bytes: bytes });
    const details = [{ label, bytes: 1, source: label }];
    expect(parseReport({ ...REPORT, capacity_bytes: bytes })).toBeNull();
    expect(parseReport({ ...REPORT, details })).toBeNull();
    label.params.size_bytes = 2 ** 63;
    expect(parseReport({ ...REPORT, details })).not.toBeNull();
  });
});
