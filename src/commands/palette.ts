import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { CommandIDs } from '../tokens';

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
    _,
    palette: ICommandPalette,
    translator: ITranslator | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('gpu-headroom');
    const category = trans.__('GPU Headroom');
    Object.values(CommandIDs).forEach(command =>
      palette.addItem({ command, category })
    );
  }
};

export default plugin;
