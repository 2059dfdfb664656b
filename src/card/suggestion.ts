import type { IRemedy } from '../protocol';

/**
 * The code of a suggestion, as *Copy* copies it: its example, else the lines that its
 * diffs add, else what to type; `null`: it is a sentence only.
 */
export function suggestedCode(remedy: IRemedy): string | null {
  const { diffs, example, type_this } = remedy;
  const added = diffs
    .flatMap(({ rows }) => rows)
    .filter(({ sign }) => sign === '+')
    .map(({ text }) => text);
  return example ?? (added.length > 0 ? added.join('\n') : type_this);
}
