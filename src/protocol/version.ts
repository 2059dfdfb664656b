/** The version spoken here, `major.minor`; a test compares it with the helper's. */
export const PROTOCOL_VERSION = '2.2';

/**
 * Whether a helper of this `major.minor` version is understood here.
 */
export function isCompatible(version: string): boolean {
  return version.split('.')[0] === PROTOCOL_VERSION.split('.')[0];
}
