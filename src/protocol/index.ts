/**
 * The wire protocol between the helper in the kernel and the front end.
 *
 * Its source is `python_helper/gpu_headroom/protocol/protocol.schema.json`, from which
 * `python -m scripts.wire` generates `generated/wire.ts`: incoming messages are checked
 * against a schema once and trusted afterwards, and their types are derived from it.
 * Types without a check are imported as types only, since outputs include no schemas.
 */
export type * from './generated/wire';
export type * from './messages';
export * from './version';
export { HolderKindSchema } from './generated/wire';
export { parseEvent, parseReply, parseReport } from './parser';
export { isObject } from './value';
