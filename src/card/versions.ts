import type { IReport } from '../protocol';

/** Versions shown. */
const MAX_VERSIONS = 20;

/** What took part, in one line: "Python 3.13.1, PyTorch 2.9.1". */
export function listVersions({ versions }: IReport): string {
  return versions
    .slice(0, MAX_VERSIONS)
    .map(({ name, version }) => `${name} ${version}`)
    .join(', ');
}
