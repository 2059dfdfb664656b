import type { IKernelMemory } from '../tokens';

/**
 * Return what gives each kernel an object of its own: made when it is first asked
 * for, and the same from then on.
 */
export function perKernel<T extends object>(
  make: (memory: IKernelMemory) => T
): (memory: IKernelMemory) => T {
  const known = new WeakMap<IKernelMemory, T>();
  return memory => {
    const object = known.get(memory) ?? make(memory);
    known.set(memory, object);
    return object;
  };
}
