/**
 * The wire between the kernel helper and the front end.
 *
 * The truth is `python_helper/gpu_headroom/protocol/protocol.schema.json`, of which
 * `python -m scripts.wire` makes `generated/wire.ts`: what comes in is checked against
 * a schema once and trusted after, and its type is derived from that. A type behind
 * which no check stands is imported as a type only: an output carries no schemas.
 */
export type * from './generated/wire';
export type * from './messages';
export * from './version';
export { HolderKindSchema } from './generated/wire';
export { parseEvent, parseReply, parseReport } from './parser';
export { isObject } from './value';
