/**
 * Building blocks of plain DOM. Text always goes in as text, never as markup.
 */

/** Longest text shown of any one string: a saved card may hold anything. */
const MAX_TEXT = 2000;

type Child = Node | string | null;

/**
 * Create an element with a class and children; `null` children are left out.
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  if (className) {
    node.className = className;
  }
  node.append(...children.filter(child => child !== null));
  return node;
}

/**
 * The nodes of a sentence whose only markup is `code` and **strong**.
 */
export function inline(text: string): Node[] {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  // Odd pieces are what stood between a pair of marks.
  const pieces = short.split(/(\*\*.+?\*\*|`[^`]+`)/);
  return pieces.flatMap((piece, index): Node[] => {
    if (index % 2 === 0) {
      return piece ? [document.createTextNode(piece)] : [];
    }
    return piece.startsWith('`')
      ? [element('code', '', piece.slice(1, -1))]
      : [element('strong', '', ...inline(piece.slice(2, -2)))];
  });
}
