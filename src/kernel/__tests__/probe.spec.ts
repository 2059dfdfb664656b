import { NoAnswer } from '../channel';
import { FreeThreaded } from '../problem';
import { EXPRESSION, isOther, probe } from '../probe';
import { FakeKernel, HERE, SESSION } from './fakekernel';

describe('whether IPython runs in a kernel', () => {
  let kernel: FakeKernel;

  beforeEach(() => {
    jest.useFakeTimers();
    kernel = new FakeKernel();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const runs = async (): Promise<boolean> =>
    !(await isOther(kernel.connection)) &&
    (await probe(kernel.connection)) !== 'foreign';

  const answers = (text: string) => () => ({
    status: 'ok',
    data: { 'text/plain': text }
  });

  it('should send no code, one expression, and leave input() alone', async () => {
    await expect(runs()).resolves.toBe(true);
    expect(kernel.infoRequests).toBe(0);
    expect(kernel.executed).toEqual([
      {
        channel: 'control',
        content: {
          code: '',
          silent: true,
          store_history: false,
          user_expressions: { here: EXPRESSION },
          allow_stdin: true,
          stop_on_error: false
        }
      }
    ]);
    expect(EXPRESSION.length).toBeLessThan(400);
  });

  it.each(['w', 'xpython', 'PySpark', ''])(
    'should send nothing to a kernel that reports to be %j',
    async implementation => {
      kernel.info = Promise.resolve({ implementation });
      await expect(runs()).resolves.toBe(false);
      expect(kernel.executed).toEqual([]);
      expect(kernel.infoRequests).toBe(0);
    }
  );

  it('should ask a busy kernel on control, without waiting for its cell', async () => {
    kernel.info = new Promise(() => undefined);
    await expect(runs()).resolves.toBe(true);
    expect(kernel.infoRequests).toBe(1);
    kernel.executed.length = 0;
    kernel.controlInfo = { status: 'ok', implementation: 'w' };
    await expect(runs()).resolves.toBe(false);
    expect(kernel.executed).toEqual([]);
  });

  it('should rely on the expression if the kernel sends no info', async () => {
    kernel.info = Promise.reject(new Error('disposed'));
    kernel.controlInfo = 'silence';
    const answer = runs();
    await jest.advanceTimersByTimeAsync(30_000);
    await expect(answer).resolves.toBe(true);
  });

  it('should parse a list that is broken into lines', async () => {
    kernel.evaluate = answers(HERE.replace(/, /g, ',\n '));
    await expect(runs()).resolves.toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['another process', HERE.replace(SESSION, 'another')],
    [
      'a kernel that hands cells on',
      HERE.replace('ipykernel.ipkernel', 'spark')
    ],
    ['a shell that hands cells on', HERE.replace('IPython.core', 'remote')],
    ['a name that only begins like it', HERE.replace('IPython.', 'IPythonic.')],
    ['less', `['${SESSION}']`],
    ['more', HERE.replace(', False', ", 'IPython.more', False")],
    ['something else than yes or no', HERE.replace('False', 'run()')],
    ['yes and no only once', HERE.replace(', False', '')]
  ])('should be strict: %s', async (_, text) => {
    kernel.evaluate = answers(text);
    await expect(runs()).resolves.toBe(false);
    expect(kernel.executed).toHaveLength(1);
  });

  it.each([
    ['evaluates nothing', { status: 'ok', user_expressions: {} }],
    ['does not say what it evaluates', { status: 'ok' }],
    [
      'raises in the expression',
      { status: 'ok', user_expressions: { here: { status: 'error' } } }
    ],
    ['fails', { status: 'error', ename: 'E', evalue: 'e' }]
  ])('should reject a kernel that %s', async (_, outcome) => {
    kernel.outcomes = [outcome];
    await expect(runs()).resolves.toBe(false);
    expect(kernel.executed).toHaveLength(1);
  });

  it('should use the shell of a kernel that executes nothing on control', async () => {
    kernel.outcomes = ['silence'];
    const answer = runs();
    await jest.advanceTimersByTimeAsync(30_000);
    await expect(answer).resolves.toBe(true);
    expect(kernel.executed.map(({ channel }) => channel)).toEqual([
      'control',
      'shell'
    ]);
    expect(kernel.executed[1]?.content).toMatchObject({
      code: '',
      allow_stdin: false
    });
    // The kernel info is there now: no need to wait once more.
    await expect(runs()).resolves.toBe(true);
    expect(kernel.executed[2]?.channel).toBe('shell');
  });

  it.each([
    ['IPython', 'False'],
    ['helper', 'True']
  ])('should detect whether there is a helper: %s', async (found, isLive) => {
    kernel.evaluate = answers(HERE.replace(/False\]$/, `${isLive}]`));
    await expect(probe(kernel.connection)).resolves.toBe(found);
  });

  it('should reject when Python is free-threaded', async () => {
    kernel.evaluate = answers(HERE.replace('False', 'True'));
    await expect(runs()).rejects.toBeInstanceOf(FreeThreaded);
  });

  it('should reject when there is no reply', async () => {
    kernel.outcomes = Array<'silence'>(4).fill('silence');
    const answer = runs().catch((reason: unknown) => reason);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(await answer).toBeInstanceOf(NoAnswer);
  });
});
