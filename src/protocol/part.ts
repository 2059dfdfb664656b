import * as v from 'valibot';

import { count } from './value';

/** What a holder is, as far as the walk could tell; in the order of a bar. */
export type HolderKind = v.InferOutput<typeof HolderKindSchema>;
export const HolderKindSchema = v.picklist([
  'parameters',
  'optimizer_state',
  'gradients',
  'activations',
  'tensor'
]);

/** What memory is: on a card by what it is for, of what is in use by how it is held. */
export type PartKind = v.InferOutput<typeof PartKindSchema>;
export const PartKindSchema = v.picklist([
  'outside',
  'named',
  'graphs',
  'unnamed',
  'parameters',
  'optimizer_state',
  'gradients',
  'activations',
  'other_tensors',
  'workspaces',
  'earlier_error',
  'temporaries',
  'not_attributed',
  'cached',
  'free'
]);

/** One part of a sum, in its order. */
export interface IPart extends v.InferOutput<typeof PartSchema> {}
export const PartSchema = v.object({
  kind: PartKindSchema,
  bytes: count
});
