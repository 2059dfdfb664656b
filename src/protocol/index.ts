/**
 * The wire between the kernel helper and the front end.
 *
 * The truth is `python_helper/gpu_headroom/protocol/protocol.schema.json`; this is
 * its mirror, held to it by `src/__tests__/protocol.spec.ts`. Of each message a schema
 * is the one definition: its type is derived, and what comes in is checked against
 * it once and trusted after. Sizes are integer bytes, times are seconds since the
 * epoch, and units stand in the key. No key is optional: what is not known is `null`.
 */
export type * from './cell';
export type * from './dryrun';
export type * from './event';
export type * from './frame';
export type * from './framework';
export type * from './holders';
export type * from './memory';
export type * from './message';
export type * from './part';
export type * from './release';
export type * from './reply';
export type * from './report';
export type * from './request';
export * from './version';
export type * from './workers';
export { HolderKindSchema } from './part';
export { parseEvent, parseReply, parseReport } from './parser';
export { isObject } from './value';
