import type { Kernel } from '@jupyterlab/services';
import { nullTranslator } from '@jupyterlab/translation';

import { plainRelease } from '../plainrelease';

const trans = nullTranslator.load('gpu-headroom');

/** A kernel that answers execute requests, in order, with these replies. */
function kernelThat(...replies: unknown[]): Kernel.IKernelConnection {
  return {
    requestExecute: () => ({
      done: Promise.resolve({ content: replies.shift() })
    })
  } as unknown as Kernel.IKernelConnection;
}

const answered = (text: string) => ({
  status: 'ok',
  user_expressions: { release: { data: { 'text/plain': text } } }
});

describe('plainRelease', () => {
  it.each([
    ['what came back', '[30, 10, 90, 40]', 20, 50],
    ['nothing measured where PyTorch has no device', '[]', null, null]
  ])('should tell %s', async (_, text, freedBytes, returnedBytes) => {
    const result = plainRelease(kernelThat(answered(text)), trans);
    await expect(result).resolves.toEqual({ freedBytes, returnedBytes });
  });

  it('should ask again when a failing cell took it down', async () => {
    const kernel = kernelThat({ status: 'aborted' }, answered('[2, 1, 2, 2]'));
    await expect(plainRelease(kernel, trans)).resolves.toMatchObject({
      freedBytes: 1
    });
  });

  it('should reject with the error of the code itself', async () => {
    const release = { status: 'error', ename: 'AcceleratorError', evalue: 'x' };
    const reply = { status: 'ok', user_expressions: { release } };
    await expect(plainRelease(kernelThat(reply), trans)).rejects.toThrow(
      'AcceleratorError: x'
    );
  });

  it('should reject when the kernel fails', async () => {
    const kernel = kernelThat({ status: 'error' }, answered('[]'));
    await expect(plainRelease(kernel, trans)).rejects.toThrow('did not run');
  });
});
