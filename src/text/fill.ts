import type { IMessage } from '../protocol';
import { formatBytes } from './format';
import { own } from './own';

const PLACE = /\{(\w+)\}/g;

/**
 * Fill the `{places}` of a template; a value whose key ends in `_bytes` is formatted as
 * a size.
 *
 * @param otherwise - text for missing values
 */
export function fill(
  template: string,
  params: IMessage['params'],
  otherwise = template
): string {
  const valueOf = (key = ''): string | number | boolean | null =>
    own(params, key) ?? null;
  const keys = [...template.matchAll(PLACE)].map(([, key]) => key);
  return keys.some(key => valueOf(key) === null)
    ? otherwise
    : template.replace(PLACE, (_, key: string) => {
        const value = valueOf(key);
        return key.endsWith('_bytes') && typeof value === 'number'
          ? formatBytes(value)
          : String(value);
      });
}
