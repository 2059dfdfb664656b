import type { IReport } from '../protocol';
import { fill } from '../text/fill';
import { formatBytes, formatCompared } from '../text/format';
import type { IWords } from '../text/messages';
import { nameWorker } from '../text/names';
import type { ITranslate } from '../text/translate';

/** Maximum length of a device name, which comes from a file, in characters. */
const MAX_NAME = 80;

/** The failure in one line, with its name in bold. */
export function title({ trans }: IWords, report: IReport): string {
  if (report.sticky_error) {
    return `**${trans.__('CUDA has stopped in this kernel')}** — ${trans.__('only a restart helps')}`;
  }
  return `**${what(trans, report)}** — ${request(trans, report)}`;
}

function what(trans: ITranslate, { simulated, worker }: IReport): string {
  if (worker === null) {
    return simulated
      ? trans.__('Out of simulated GPU memory')
      : trans.__('Out of GPU memory');
  }
  const name = nameWorker(worker, trans);
  return simulated
    ? trans.__('Out of simulated GPU memory on %1', name)
    : trans.__('Out of GPU memory on %1', name);
}

function request(trans: ITranslate, report: IReport): string {
  const { requested_bytes: requested, available_bytes: available } = report;
  if (requested === null) {
    return trans.__('the size of the request is not known');
  }
  if (available === null) {
    return fill(
      trans.__('needed {requested} more, what was available is not known'),
      { requested: formatBytes(requested) }
    );
  }
  const [needed = '', free = ''] = formatCompared(requested, available);
  return fill(trans.__('needed {requested} more, {available} was available'), {
    requested: needed,
    available: free
  });
}

/** The device and its memory: "GPU 0, Tesla T4, 14.7 GiB". */
export function deviceLabel({ trans }: IWords, report: IReport): string {
  const { device_index: index, device_name: name, simulated } = report;
  const kind = simulated ? trans.__('Simulated GPU') : trans.__('GPU');
  const size = report.capacity_bytes;
  return [
    index === null ? kind : `${kind} ${index}`,
    simulated ? null : name?.slice(0, MAX_NAME),
    size === null ? null : formatBytes(size)
  ]
    .filter(Boolean)
    .join(', ');
}
