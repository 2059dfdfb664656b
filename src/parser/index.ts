/**
 * The boundary of the wire: what comes in is checked here once and trusted after.
 *
 * Keys that are not known are let through, so that a newer helper of the same
 * major version is understood.
 */
export { parseEvent, parseReply, parseReport } from './parser';
