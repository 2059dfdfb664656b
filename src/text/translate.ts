/**
 * Translates what a page says; `%1` … stand for the arguments.
 *
 * JupyterLab's bundles are of this kind, and so is the English of a page that has none.
 */
export interface ITranslate {
  __(msgid: string, ...args: (string | number)[]): string;
}

/** The same where a number decides the form: it is `%1`. */
export interface ICountingTranslate extends ITranslate {
  _n(
    one: string,
    many: string,
    count: number,
    ...args: (string | number)[]
  ): string;
}
