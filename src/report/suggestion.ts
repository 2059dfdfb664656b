import type { IRemedy } from '../protocol';

/**
 * Code of a suggestion, as *Copy* copies it: its example, else the lines added by its
 * diffs, else the text to type; `null`: the suggestion is only a sentence.
 */
export function suggestedCode(remedy: IRemedy): string | null {
  const { diffs, example, type_this } = remedy;
  const added = diffs
    .flatMap(({ rows }) => rows)
    .filter(({ sign }) => sign === '+')
    .map(({ text }) => text);
  return example ?? (added.length > 0 ? added.join('\n') : type_this);
}
