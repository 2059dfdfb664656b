import type { IRemedy } from '../protocol';
import { fill } from '../text/fill';
import { formatBytes } from '../text/format';
import type { ITranslate } from '../text/translate';

/**
 * Expected effect of a remedy and the quality of that number: "about **−4.9 GiB**
 * estimated".
 */
export function effectText(
  trans: ITranslate,
  { effect_bytes: bytes, effect_quality, kind }: IRemedy
): string {
  const sign = kind === 'release' ? '' : '−';
  return bytes === null || effect_quality === 'not_measured'
    ? trans.__('not measured')
    : fill(template(trans, effect_quality), {
        effect: `**${sign}${formatBytes(bytes)}**`
      });
}

/**
 * Whether the effect of a remedy is shown: restarts and files save no memory, and
 * suggestions show an effect only if it is known.
 */
export function givesMemory({ effect_bytes, kind }: IRemedy): boolean {
  return kind === 'suggestion'
    ? effect_bytes !== null
    : kind !== 'restart' && kind !== 'save';
}

function template(
  trans: ITranslate,
  quality: Exclude<IRemedy['effect_quality'], 'not_measured'>
): string {
  switch (quality) {
    case 'measured':
      return trans.__('{effect} measured');
    case 'estimated':
      return trans.__('about {effect} estimated');
    default:
      return trans.__('at least {effect}');
  }
}
