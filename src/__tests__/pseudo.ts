import {
  Gettext,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

/** A language in which each sentence is the English one, in brackets. */
export const PSEUDO: TranslationBundle = {
  ...nullTranslator.load('gpu-headroom'),
  __: (text, ...args: string[]) => `⟦${Gettext.strfmt(text, ...args)}⟧`,
  _n: (one, many, n, ...args: string[]) =>
    `⟦${Gettext.strfmt(n === 1 ? one : many, String(n), ...args)}⟧`
};

/** A sentence of that language which has no other in it. */
const TRANSLATED = /⟦[^⟦⟧]*⟧/g;

/** Sizes, and the unit beside the bar. */
const SIZE = /[KMGT]iB/g;

/** Attributes with text that is shown or announced. */
const SPOKEN = ['aria-label', 'placeholder', 'title'];

/**
 * Text of an element that was not translated.
 *
 * @param names - texts that are not translated, such as a GPU's name
 */
export function untranslated(host: HTMLElement, names: string[]): string[] {
  const copy = host.cloneNode(true) as HTMLElement;
  copy.querySelectorAll('code, svg').forEach(node => {
    node.remove();
  });
  const spoken = [...copy.querySelectorAll('*')].flatMap(node =>
    SPOKEN.map(name => node.getAttribute(name) ?? '')
  );
  return [copy.textContent ?? '', ...spoken]
    .map(text => rest(text, names).trim())
    .filter(text => /\p{Letter}/u.test(text));
}

function rest(text: string, names: string[]): string {
  const left = names.reduce((all, name) => all.split(name).join(''), text);
  const without = left.replace(TRANSLATED, '').replace(SIZE, '');
  return without === text ? text : rest(without, names);
}
