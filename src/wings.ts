/** To remove a wing, delete its folder and its line. */
export type { JupyterFrontEndPlugin as Wing } from '@jupyterlab/application';

export { default as cells } from './cells/plugin';
export { default as commands } from './commands/plugin';
export { default as dryrun } from './dryrun/plugin';
export { default as editing } from './editing/plugin';
export { default as otherkernels } from './otherkernels/plugin';
export { default as timeline } from './timeline/plugin';
export { default as workers } from './workers/plugin';
