/**
 * The protocol version of the front end, `major.minor`; a test compares it with the
 * helper's.
 */
export const PROTOCOL_VERSION = '2.2';

/** Whether a helper of this `major.minor` version is supported. */
export function isCompatible(version: string): boolean {
  return version.split('.')[0] === PROTOCOL_VERSION.split('.')[0];
}
