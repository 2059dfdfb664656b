import { element } from './element';

/** Code to be read, which can be reached and selected without a mouse. */
export function codeBlock(code: string, modifier = ''): HTMLElement {
  const block = element(
    'pre',
    `jp-GpuHeadroomCard-code ${modifier}`,
    element('code', '', code)
  );
  block.tabIndex = 0;
  return block;
}
