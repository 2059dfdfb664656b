import type { ICause, IMessage, IReport } from '../protocol';

/**
 * Evidence of a report as JSON, for developers who fix a wrong diagnosis: numbers and
 * ids. Names of the user's are replaced by `name-1`, `name-2`; code, sentences and cell
 * ids are left out.
 */
export function evidenceText(report: IReport): string {
  const names = new Map<string, string>();
  const anonymous = (name: string): string => {
    const alias = names.get(name) ?? `name-${names.size + 1}`;
    names.set(name, alias);
    return alias;
  };
  const anonymized = ({ id, params }: IMessage): object => ({
    id,
    params: Object.fromEntries(
      Object.entries(params).map(([key, value]) => [
        key,
        typeof value === 'string' ? anonymous(value) : value
      ])
    )
  });
  const cause = ({ rule, claim, evidence, bytes }: ICause): object => ({
    rule,
    bytes,
    claim: anonymized(claim),
    evidence: anonymized(evidence)
  });
  const {
    capacity_bytes,
    requested_bytes,
    available_bytes,
    in_use_bytes,
    cached_bytes,
    outside_bytes,
    traceback_bytes
  } = report;
  const found = {
    version: report.version,
    versions: report.versions,
    simulated: report.simulated,
    looking: report.looking,
    framework: report.framework,
    error_name: report.error_name,
    device_name: report.device_name,
    capacity_bytes,
    requested_bytes,
    available_bytes,
    in_use_bytes,
    cached_bytes,
    outside_bytes,
    traceback_bytes,
    fits_after_free: report.fits_after_free,
    parts: report.parts,
    holders: report.holders.map(holder => ({
      ...holder,
      name: anonymous(holder.name)
    })),
    traceback_variables: report.traceback_variables.map(variable => ({
      ...variable,
      name: anonymous(variable.name)
    })),
    cause: report.cause && cause(report.cause),
    further_causes: report.further_causes.map(cause),
    remedies: report.remedies.map(
      ({ id, kind, title, note, effect_bytes, effect_quality, diffs }) => ({
        id,
        kind,
        title: anonymized(title),
        note: anonymized(note),
        effect_bytes,
        effect_quality,
        lines_changed: diffs.map(
          ({ rows }) => rows.filter(({ sign }) => sign !== ' ').length
        )
      })
    ),
    details: report.details.map(({ label, bytes, source }) => ({
      label: label.id,
      bytes,
      source: source.id
    }))
  };
  return `${JSON.stringify(found, null, 2)}\n`;
}
