/**
 * What can be taken away: a wing's folder and its line here, and the rest is whole.
 */
export { default as dryrun } from './dryrun/plugin';
export { default as fit } from './fit/plugin';
export { default as otherkernels } from './otherkernels/plugin';
export { default as timeline } from './timeline/plugin';
export { default as workers } from './workers/plugin';
