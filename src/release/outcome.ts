/** The result of a release, as text of a notification. */
import { plain } from '../text/plain';
import { nameHeadroom } from '../memory/released';
import type { IReleased } from '../protocol';
import { formatBytes } from '../text/format';
import type { IWords } from '../text/messages';

/** JupyterLab shows no more characters of a notification. */
const MAX_CHARACTERS = 140;

const MAX_HELD = 2;

/** Minimum size worth mentioning. */
const SMALLEST_BYTES = 2 ** 20;

/**
 * The result of a release: what was freed, and in a second line further sentences, as
 * far as there is room.
 */
export function releasedSentence(words: IWords, released: IReleased): string {
  const { trans } = words;
  const freed = released.freed_bytes ?? 0;
  if (released.status !== 'done' || freed <= 0) {
    return plain(words.sentence(released.message));
  }
  const headroom = nameHeadroom(released);
  const first = headroom
    ? trans.__('Freed %1: headroom %2.', formatBytes(freed), headroom)
    : trans.__('Freed %1.', formatBytes(freed));
  return withMore(first, [
    stillHeld(words, released),
    returned(words, released),
    trans.__('Measured before and after.')
  ]);
}

/** Add a second line with the sentences that fit, in their order. */
function withMore(first: string, sentences: readonly string[]): string {
  const room = MAX_CHARACTERS - first.length - 1;
  const second = sentences
    .filter(Boolean)
    .reduce(
      (line, next) =>
        line.length + next.length + 1 > room ? line : `${line} ${next}`,
      ''
    );
  return second ? `${first}\n${second.trim()}` : first;
}

function stillHeld({ trans }: IWords, released: IReleased): string {
  const held = released.still_held
    .slice(0, MAX_HELD)
    .map(holder => `${holder.name} ${formatBytes(holder.bytes)}`)
    .join(', ');
  return held ? trans.__('Still held: %1.', held) : '';
}

function returned(
  { trans }: IWords,
  { returned_bytes: bytes }: IReleased
): string {
  return (bytes ?? 0) >= SMALLEST_BYTES
    ? trans.__('%1 of cache returned to the GPU.', formatBytes(bytes ?? 0))
    : '';
}
