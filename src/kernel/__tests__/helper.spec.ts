import type { KernelSpec } from '@jupyterlab/services';
import { nullTranslator } from '@jupyterlab/translation';

import { inject, isPython, readBootstrap } from '../helper';
import { FakeKernel } from './fakekernel';

const trans = nullTranslator.load('gpu-headroom');

function specs(languages: Record<string, string>): KernelSpec.IManager {
  const kernelspecs = Object.fromEntries(
    Object.entries(languages).map(([name, language]) => [name, { language }])
  );
  const manager = { ready: Promise.resolve(), specs: { kernelspecs } };
  return manager as unknown as KernelSpec.IManager;
}

describe('inject', () => {
  let kernel: FakeKernel;

  beforeEach(() => {
    jest.useFakeTimers();
    kernel = new FakeKernel();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const channels = (): string[] =>
    kernel.executed.map(({ channel }) => channel);

  it.each(['idle', 'busy', 'unknown', 'starting'] as const)(
    'should use control while the kernel is %s, and not affect input()',
    async status => {
      kernel.status = status;
      await expect(
        inject(kernel.connection, { code: 'start()' }, trans)
      ).resolves.toBeNull();
      expect(kernel.executed).toEqual([
        {
          channel: 'control',
          content: expect.objectContaining({
            code: 'start()',
            silent: true,
            store_history: false,
            allow_stdin: true,
            stop_on_error: false
          }) as object
        }
      ]);
    }
  );

  it('should use the shell of a kernel that executes nothing on control', async () => {
    kernel.outcomes = ['silence'];
    const injected = inject(kernel.connection, { code: 'start()' }, trans);
    await jest.advanceTimersByTimeAsync(30_000);
    await expect(injected).resolves.toBeNull();
    expect(channels()).toEqual(['control', 'shell']);
    expect(kernel.executed[1]?.content).toEqual({
      code: 'start()',
      silent: true,
      store_history: false,
      user_expressions: {},
      allow_stdin: false,
      stop_on_error: false
    });
  });

  it('should try again when it was aborted', async () => {
    kernel.outcomes = [{ status: 'aborted' }, { status: 'aborted' }];
    await expect(
      inject(kernel.connection, { code: 'start()' }, trans)
    ).resolves.toBeNull();
    expect(channels()).toEqual(['control', 'shell', 'control']);
  });

  it('should return what went wrong in the kernel', async () => {
    kernel.outcomes = [
      { status: 'error', ename: 'MemoryError', evalue: 'none left' }
    ];
    await expect(
      inject(kernel.connection, { code: 'start()' }, trans)
    ).resolves.toBe('MemoryError: none left');
  });

  it('should give up on a kernel that never runs it', async () => {
    kernel.outcomes = ['silence', 'silence', 'silence', 'silence'];
    const injected = inject(kernel.connection, { code: 'start()' }, trans);
    await jest.advanceTimersByTimeAsync(120_000);
    await expect(injected).resolves.toBe('no answer');
    expect(kernel.executed).toHaveLength(4);
  });
});

describe('isPython', () => {
  it.each([
    ['python', true],
    ['Python', true],
    ['julia', false]
  ])('should use the spec, not the busy kernel: %s', async (language, is) => {
    const { connection } = new FakeKernel();
    await expect(
      isPython(connection, specs({ python3: language }))
    ).resolves.toBe(is);
  });

  it('should use the kernel info if there is no spec', async () => {
    const kernel = new FakeKernel();
    kernel.info = Promise.resolve({ language_info: { name: 'python' } });
    await expect(isPython(kernel.connection, specs({}))).resolves.toBe(true);
  });
});

describe('the pack', () => {
  it('should leave no placeholder in the bootstrap', async () => {
    const { code, expressions } = await readBootstrap();
    expect(code).toContain('def _gpu_headroom_bootstrap(');
    expect(expressions?.started).toMatch(/^__import__.*"2", "[\d.]+"\)$/);
    expect(expressions?.started).not.toMatch(/__[A-Z_]{3,}__/);
  });
});
