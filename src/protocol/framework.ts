/** Frameworks whose memory can be read, as they call themselves. */
export const FRAMEWORKS = {
  torch: 'PyTorch',
  jax: 'JAX',
  tensorflow: 'TensorFlow',
  cupy: 'CuPy'
};

export type FrameworkName = keyof typeof FRAMEWORKS;
