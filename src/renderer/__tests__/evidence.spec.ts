import { message, REPORT } from '../../__tests__/report';
import type { IReport } from '../../protocol';
import { evidenceText } from '../evidence';

const of = (report: Partial<IReport> = {}) =>
  JSON.parse(evidenceText({ ...REPORT, ...report })) as Record<string, unknown>;

describe('evidenceText', () => {
  it('should have the numbers, the rules and the versions', () => {
    expect(of()).toMatchObject({
      requested_bytes: REPORT.requested_bytes,
      parts: REPORT.parts,
      versions: REPORT.versions,
      cause: { rule: 'activations', bytes: REPORT.cause?.bytes },
      remedies: [{ id: 'free-traceback' }, { id: 'smaller-batch' }]
    });
  });

  it('should have no name of the user’s, no code and no cell', () => {
    const secret = 'patients_2024';
    const report: Partial<IReport> = {
      cell_id: secret,
      cause: {
        rule: 'retained-graph',
        claim: message('x', { name: secret }),
        evidence: { ...message('y'), text: secret, template: secret },
        bytes: 1
      },
      holders: [{ name: secret, kind: 'tensor', bytes: 1 }],
      traceback_variables: [
        { name: secret, kind: 'tensor', bytes: 1 },
        { name: 'other', kind: 'tensor', bytes: 2 }
      ],
      remedies: REPORT.remedies.map(remedy => ({
        ...remedy,
        type_this: secret,
        title: message('z', { name: secret, old: 1024 }),
        diffs: remedy.diffs.map(diff => ({
          ...diff,
          cell_id: secret,
          sets: secret,
          rows: diff.rows.map(row => ({ ...row, text: secret }))
        }))
      }))
    };
    const text = evidenceText({ ...REPORT, ...report });
    expect(text).not.toContain(secret);
    expect(text).not.toContain('"other"');
    expect(text).not.toContain('batch_size');
    expect(of(report)).toMatchObject({
      holders: [{ name: 'name-1' }],
      traceback_variables: [{ name: 'name-1' }, { name: 'name-2' }],
      cause: { claim: { params: { name: 'name-1' } } },
      remedies: [
        { lines_changed: [] },
        { lines_changed: [2], title: { params: { old: 1024 } } }
      ]
    });
  });
});
