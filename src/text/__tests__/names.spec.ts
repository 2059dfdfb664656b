import { nullTranslator } from '@jupyterlab/translation';

import { gib } from '../../__tests__/report';
import { DEVICE } from '../../__tests__/samples';
import { nameDevice, nameFrameworks, nameSize } from '../names';

const trans = nullTranslator.load('gpu-headroom');

describe('names', () => {
  it('should join those of several frameworks', () => {
    const [torch] = DEVICE.frameworks;
    const frameworks = ['PyTorch', 'JAX', 'CuPy'].flatMap(title =>
      torch ? [{ ...torch, title }] : []
    );
    expect(nameFrameworks(frameworks, trans)).toBe('PyTorch, JAX and CuPy');
  });

  it('should distinguish a simulated device from one that has a name', () => {
    const device = { ...DEVICE, index: 1, name: 'Tesla T4' };
    expect(nameDevice(device, trans)).toBe('GPU 1, Tesla T4');
    expect(nameDevice({ ...device, simulated: true }, trans)).toBe(
      'Simulated GPU 1'
    );
  });

  it('should show that a size is not measured', () => {
    expect(nameSize(gib(2), trans)).toBe('2.0 GiB');
    expect(nameSize(null, trans)).toBe('not measured');
  });
});
