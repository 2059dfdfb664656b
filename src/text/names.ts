/** Names that several views use: of sizes, GPUs, holders and workers. */
import type {
  IDevice,
  IFramework,
  IHeld,
  IMessage,
  IWorker
} from '../protocol';
import { formatBytes } from './format';
import type { ITranslate } from './translate';

/** A size; `null` is shown as not measured. */
export function nameSize(bytes: number | null, trans: ITranslate): string {
  return bytes === null ? trans.__('not measured') : formatBytes(bytes);
}

/** Memory of a device used by other programs; Windows does not report it. */
export function nameOthers(
  bytes: number | null,
  device: IDevice | null,
  trans: ITranslate
): string {
  return bytes === null && device?.notes.some(isOfWindows)
    ? trans.__('not available on Windows')
    : nameSize(bytes, trans);
}

function isOfWindows({ id }: IMessage): boolean {
  return id === 'note.wddm_others';
}

/** "GPU 0", "Simulated GPU 0". */
export function numberDevice(
  { index, simulated }: Pick<IDevice, 'index' | 'simulated'>,
  trans: ITranslate
): string {
  return simulated
    ? trans.__('Simulated GPU %1', index)
    : trans.__('GPU %1', index);
}

/** "GPU 0, Tesla T4"; a simulated device has no model name. */
export function nameDevice(device: IDevice, trans: ITranslate): string {
  const name = numberDevice(device, trans);
  return device.name === null || device.simulated
    ? name
    : `${name}, ${device.name}`;
}

/**
 * "PyTorch", or "PyTorch and JAX"; as fits `Cached by …`.
 */
export function nameFrameworks(
  frameworks: readonly IFramework[],
  trans: ITranslate
): string {
  const names = frameworks.map(({ title }) => title);
  const last = names.pop() ?? trans.__('framework');
  return names.length > 0
    ? trans.__('%1 and %2', names.join(', '), last)
    : last;
}

/** Why there are no numbers yet. */
export function explainIdle(isLoaded: boolean, trans: ITranslate): string {
  return isLoaded
    ? trans.__('This kernel has not used the GPU yet.')
    : trans.__('This kernel has no GPU framework loaded yet.');
}

/** Display name of a holder. */
export function nameHolder(
  { name, origin, type_name }: IHeld,
  trans: ITranslate
): string {
  if (origin === 'traceback') {
    return name
      ? trans.__('Traceback of %1', name)
      : trans.__('Traceback of a failed cell');
  }
  if (name) {
    return name;
  }
  const unnamed = trans.__('no name');
  return type_name ? `${unnamed} (${type_name})` : unnamed;
}

/** "rank 1": a process other than the kernel; without a number, one of several. */
export function nameWorker(
  { engine, rank }: Pick<IWorker, 'engine' | 'rank'>,
  trans: ITranslate
): string {
  if (rank !== null) {
    return nameNumbered(engine, rank, trans);
  }
  switch (engine) {
    case 'dask':
      return trans.__('a Dask worker');
    case 'ray':
      return trans.__('a Ray worker');
    case 'command':
      return trans.__('a process of this cell');
    default:
      return trans.__('another process');
  }
}

function nameNumbered(
  engine: IWorker['engine'],
  number: number,
  trans: ITranslate
): string {
  switch (engine) {
    case 'dask':
      return trans.__('Dask worker %1', number);
    case 'ipyparallel':
      return trans.__('engine %1', number);
    default:
      return trans.__('rank %1', number);
  }
}
