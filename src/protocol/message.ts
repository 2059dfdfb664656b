/** A sentence with its identity: translated by `id`, else shown as `text`. */
export interface IMessage {
  /** Key of the catalogue, such as `cause.activations`. */
  id: string;
  /** Named values; a key ending in `_bytes` is an integer size. */
  params: Record<string, string | number | boolean | null>;
  /** The English sentence; backticks and double asterisks are its only markup. */
  text: string;
}
