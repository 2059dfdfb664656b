/**
 * The commands of this extension, in the order of the palette.
 */
export namespace CommandIDs {
  export const showPopup = 'gpu-headroom:show-popup';
  export const showPanel = 'gpu-headroom:show-panel';
  export const freeMemory = 'gpu-headroom:free-memory';
  export const releaseMemory = 'gpu-headroom:release-memory';
  export const releaseCellMemory = 'gpu-headroom:release-cell-memory';
  export const insertCleanupCell = 'gpu-headroom:insert-cleanup-cell';
  export const saveMemorySnapshot = 'gpu-headroom:save-memory-snapshot';
  export const startHelper = 'gpu-headroom:start-helper';
}

/** What `describedBy` says of a command that takes no arguments. */
export const NO_ARGS = { type: 'object', additionalProperties: false };
