import { gib } from '../../__tests__/report';
import { DEVICE } from '../../__tests__/samples';
import type { IDevice } from '../../protocol';
import type { IOtherKernel } from '../otherkernel';
import { restOf, sharesOf } from '../sharing';

function makeKernel(
  name: string,
  ...devices: Partial<IDevice>[]
): IOtherKernel {
  return {
    id: name,
    name,
    path: name,
    isBusy: false,
    idleSince_ms: null,
    devices: devices.map(device => ({ ...DEVICE, ...device }))
  };
}

describe('what others use of a GPU', () => {
  const holding = (size: number): Partial<IDevice> => ({
    in_use_bytes: gib(size),
    cached_bytes: gib(0.5)
  });

  it('should be in use and cached, the largest first', () => {
    const kernels = [
      makeKernel('a', holding(1)),
      makeKernel('b', holding(3)),
      makeKernel('nothing', { in_use_bytes: 0, cached_bytes: 0 }),
      makeKernel('no devices')
    ];
    const found = sharesOf(kernels, DEVICE);
    expect(found.map(({ kernel, bytes }) => [kernel.name, bytes])).toEqual([
      ['b', gib(3.5)],
      ['a', gib(1.5)]
    ]);
  });

  it.each([
    ['the same UUID, however it is written', { uuid: 'gpu-1', index: 3 }, 1],
    ['the same UUID without its prefix', { uuid: '1', index: 3 }, 1],
    ['another UUID at the same index', { uuid: 'GPU-2' }, 0],
    ['no UUID at the same index', { uuid: null }, 1],
    ['no UUID at another index', { uuid: null, index: 1 }, 0],
    ['another driver', { backend: 'xpu' as const, uuid: null }, 0],
    ['a simulated GPU', { simulated: true }, 0]
  ])('should recognize the GPU: %s', (_, device, count) => {
    expect(sharesOf([makeKernel('a', device)], DEVICE)).toHaveLength(count);
  });

  it('should attribute the rest to programs that did not reply', () => {
    const shares = sharesOf([makeKernel('a', holding(1))], DEVICE);
    expect(restOf(gib(4), shares)).toBe(gib(2.5));
    expect(restOf(gib(1), shares)).toBe(0);
    expect(restOf(null, shares)).toBeNull();
  });
});
