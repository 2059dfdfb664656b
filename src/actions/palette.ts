import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

/** The commands of the palette, in its order. */
const COMMANDS = [
  'gpu-headroom:show-popup',
  'gpu-headroom:show-panel',
  'gpu-headroom:free-memory',
  'gpu-headroom:release-memory',
  'gpu-headroom:release-cell-memory',
  'gpu-headroom:insert-cleanup-cell',
  'gpu-headroom:save-memory-snapshot',
  'gpu-headroom:start-helper'
];

/**
 * Lists the commands in the command palette, which no schema can declare.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:palette',
  description: 'Lists the commands of GPU Headroom in the command palette.',
  autoStart: true,
  requires: [ICommandPalette],
  optional: [ITranslator],
  activate: (
    _: JupyterFrontEnd,
    palette: ICommandPalette,
    translator: ITranslator | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('gpu-headroom');
    const category = trans.__('GPU Headroom');
    COMMANDS.forEach(command => palette.addItem({ command, category }));
  }
};

export default plugin;
