import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IConsoleTracker } from '@jupyterlab/console';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { OffReason } from '../memory/state';
import { loadSettings, type Settings } from '../settings';
import { IGpuMemory } from '../tokens';
// Kernels may exist at startup, links are created synchronously, and they load the
// helper's module themselves.
/* eslint-disable jupyter/prefer-lazy-imports */
import { deathNotice } from './deathnotice';
import { inject, isPython, readBootstrap } from './helper';
import { KernelLink } from './link';
/* eslint-enable jupyter/prefer-lazy-imports */
import { GpuMemoryTracker, type IKernelDocument } from './tracker';

/** Follows the kernels of this page and provides their GPU memory. */
const plugin: JupyterFrontEndPlugin<IGpuMemory> = {
  id: 'gpu-headroom:plugin',
  description: 'Provides the GPU memory of the kernels of this page.',
  autoStart: true,
  provides: IGpuMemory,
  requires: [INotebookTracker],
  optional: [IConsoleTracker, ISettingRegistry, ITranslator],
  activate: async (
    app,
    notebooks: INotebookTracker,
    consoles: IConsoleTracker | null,
    registry: ISettingRegistry | null,
    translator: ITranslator | null
  ): Promise<IGpuMemory> => {
    const { serviceManager, shell } = app;
    const trans = (translator ?? nullTranslator).load('gpu-headroom');
    const settings = await loadSettings(registry);
    const tracker = new GpuMemoryTracker(
      (kernel, documents) =>
        new KernelLink({
          kernel,
          settings,
          trans,
          isPython: () => isPython(kernel, serviceManager.kernelspecs),
          refusal: () => findRefusal(settings, documents()),
          readBootstrap,
          inject: bootstrap => inject(kernel, bootstrap, trans),
          onDeath: deathNotice(trans)
        })
    );
    tracker.watch(notebooks);
    if (consoles) {
      tracker.watch(consoles);
    }
    tracker.follow(shell);
    return tracker;
  }
};

/** Why no helper may be started in the kernel of these documents; `null`: it may. */
function findRefusal(
  { current: { startHelper } }: Settings,
  documents: readonly IKernelDocument[]
): OffReason | null {
  if (documents.some(refuses)) {
    return 'notebook';
  }
  return startHelper === 'automatically' ? null : startHelper;
}

/** Whether a notebook's metadata says that no helper is to be started. */
function refuses(document: IKernelDocument): boolean {
  return (
    document instanceof NotebookPanel &&
    document.content.model?.getMetadata('gpu_headroom') === false
  );
}

export default plugin;
