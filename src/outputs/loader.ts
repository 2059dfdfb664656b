/**
 * The script that the output of a report is saved with: it requests the script that
 * makes the report interactive. If no kernel replies, the output remains text.
 */
import type { IFrameScript } from '../protocol';
import { findPage } from './google';
import { note } from './note';

function add(tag: 'script' | 'style', text: string): void {
  const element = document.createElement(tag);
  element.textContent = text;
  document.head.append(element);
}

async function load(): Promise<void> {
  const answer = await findPage()?.requestScript();
  const { script, style } = (answer ?? {}) as Partial<IFrameScript>;
  if (script && style) {
    add('style', style);
    add('script', script);
  }
}

load().catch((reason: unknown) => {
  note('the script of a report was not sent', reason);
});
