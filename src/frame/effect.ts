import { formatBytes } from '../format';
import type { IRemedy } from '../protocol';
import { fill } from './fill';
import type { ITranslate } from '../translate';

/**
 * What a remedy is expected to do, and how good that number is: "about **−4.9
 * GiB** estimated".
 */
export function effectText(
  trans: ITranslate,
  { effect_bytes: bytes, effect_quality, kind }: IRemedy
): string {
  const sign = kind === 'release' ? '' : '−';
  const size = bytes === null ? '' : `**${sign}${formatBytes(bytes)}**`;
  const quality = bytes === null ? 'not_measured' : effect_quality;
  return fill(template(trans, quality), { effect: size });
}

/** Whether a remedy is there for memory: a restart and a file are not. */
export function givesMemory({ kind }: IRemedy): boolean {
  return kind !== 'restart' && kind !== 'save';
}

function template(
  trans: ITranslate,
  quality: IRemedy['effect_quality']
): string {
  switch (quality) {
    case 'measured':
      return trans.__('{effect} measured');
    case 'estimated':
      return trans.__('about {effect} estimated');
    case 'not_measured':
      return trans.__('not measured');
  }
}
