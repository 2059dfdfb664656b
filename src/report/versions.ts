import type { IReport } from '../protocol';

/** Maximum number of versions shown. */
const MAX_VERSIONS = 20;

/** Versions of the software involved, in one line: "Python 3.13.1, PyTorch 2.9.1". */
export function listVersions({ versions }: IReport): string {
  return versions
    .slice(0, MAX_VERSIONS)
    .map(({ name, version }) => `${name} ${version}`)
    .join(', ');
}
