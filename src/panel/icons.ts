import { LabIcon } from '@jupyterlab/ui-components';

import gpuSvg from '../../style/icons/gpu.svg';
import offloadSvg from '../../style/icons/offload.svg';

/** The chip: the gap above its level is the headroom. */
export const gpuIcon = new LabIcon({
  name: 'gpu-headroom:gpu',
  svgstr: gpuSvg
});

/** An arrow to a wall, for moving data off the GPU. */
export const offloadIcon = new LabIcon({
  name: 'gpu-headroom:offload',
  svgstr: offloadSvg
});
