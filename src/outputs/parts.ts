import { element, inline } from '../components/dom/element';
import { icon, type IconName } from '../components/dom/icon';

/** What opens below a gauge. */
export function box(...children: readonly (HTMLElement | null)[]): HTMLElement {
  return element('div', 'jp-GpuHeadroomLive-box', ...children);
}

/** A sentence, told to whoever cannot see it, too. */
export function said(name: IconName, text: string): HTMLElement {
  const node = element(
    'p',
    'jp-GpuHeadroomLive-said',
    icon(name),
    element('span', '', ...inline(text))
  );
  node.setAttribute('role', 'status');
  return node;
}

/** Names with their sizes. */
export function rows(
  pairs: readonly (readonly [string, string])[]
): HTMLElement {
  return element(
    'dl',
    'jp-GpuHeadroomLive-rows',
    ...pairs.map(([name, size]) =>
      element(
        'div',
        '',
        element('dt', '', ...inline(name)),
        element('dd', '', size)
      )
    )
  );
}
