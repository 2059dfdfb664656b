/**
 * Translates text of the page; `%1` … are placeholders of the arguments.
 *
 * Implemented by JupyterLab's bundles, and by the English of a page without them.
 */
export interface ITranslate {
  __(msgid: string, ...args: (string | number)[]): string;
}

/** A translation whose form depends on a number, which is `%1`. */
export interface ICountingTranslate extends ITranslate {
  _n(
    one: string,
    many: string,
    count: number,
    ...args: (string | number)[]
  ): string;
}
