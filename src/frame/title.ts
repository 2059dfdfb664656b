import { formatBytes, formatCompared } from '../format';
import type { IReport } from '../protocol';
import type { IWords } from './state';

/** Characters shown of a device's name, which comes from a file. */
const MAX_NAME = 80;

/**
 * What happened, in one line, with the name of the failure in bold.
 */
export function title(words: IWords, report: IReport): string {
  if (report.poisoned) {
    return `**${words.say('poisoned.title')}** — ${words.say('poisoned.restart')}`;
  }
  const what = words.say(
    report.simulated ? 'card.title_simulated' : 'card.title'
  );
  return `**${what}** — ${request(words, report)}`;
}

function request(words: IWords, report: IReport): string {
  const { requested_bytes: requested, available_bytes: available } = report;
  if (requested === null) {
    return words.say('card.size_unknown');
  }
  if (available === null) {
    return words.say('card.needed_only', { requested: formatBytes(requested) });
  }
  const [needed = '', free = ''] = formatCompared(requested, available);
  return words.say('card.needed', { requested: needed, available: free });
}

/**
 * The device and its memory: "GPU 0, Tesla T4, 14.7 GiB".
 */
export function deviceLabel(words: IWords, report: IReport): string {
  const { device_index: index, device_name: name } = report;
  const kind = report.simulated
    ? words.trans.__('Simulated GPU')
    : words.trans.__('GPU');
  const size = report.capacity_bytes;
  return [
    index === null ? kind : `${kind} ${index}`,
    report.simulated ? null : (name?.slice(0, MAX_NAME) ?? null),
    size === null ? null : formatBytes(size)
  ]
    .filter(piece => piece !== null && piece !== '')
    .join(', ');
}
