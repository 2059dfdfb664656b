import type { IKernelMemory } from '../tokens';

/**
 * Return a function that creates one object per kernel on first use and then returns
 * the same.
 */
export function perKernel<T extends object>(
  make: (memory: IKernelMemory) => T
): (memory: IKernelMemory) => T {
  const values = new WeakMap<IKernelMemory, T>();
  return memory => {
    const object = values.get(memory) ?? make(memory);
    values.set(memory, object);
    return object;
  };
}
