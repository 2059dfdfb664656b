/**
 * What the sections of the panel show: loaded when the first one is seen.
 */
export { Devices } from './devices';
export { FreeableList } from './freeablelist';
export { History } from './history';
export { HolderList } from './holderlist';
export { Others } from './others';
