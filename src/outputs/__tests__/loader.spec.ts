import { pass } from './person';

const SCRIPT = {
  script: 'document.body.append(" and buttons")',
  style: 'p { margin: 0 }'
};

describe('The script that a report is saved with', () => {
  const page = window as { google?: unknown };
  const open = jest.fn<Promise<object>, [string, object]>();
  const invokeFunction = jest.fn<Promise<object>, [string, object[], object]>();

  /** A comm that the kernel closes after these messages. */
  const commOf = (...messages: unknown[]): object => ({
    messages: (async function* () {
      for (const data of messages) {
        yield await Promise.resolve({ data });
      }
    })()
  });

  const load = async (accessAllowed = true): Promise<void> => {
    page.google = {
      colab: { kernel: { accessAllowed, comms: { open }, invokeFunction } }
    };
    jest.isolateModules(() => {
      jest.requireActual('../loader');
    });
    await pass(0);
  };

  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    open.mockResolvedValue(commOf(SCRIPT));
    invokeFunction.mockResolvedValue({ data: { 'application/json': SCRIPT } });
    document.body.textContent = 'text';
    document.head.replaceChildren();
  });

  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    open.mockReset();
    invokeFunction.mockReset();
    delete page.google;
  });

  it('should add what the kernel sends, with its styles', async () => {
    await load();
    expect(open).toHaveBeenCalledTimes(1);
    expect(document.body.textContent).toBe('text and buttons');
    expect(document.querySelector('style')?.textContent).toBe(SCRIPT.style);
    await pass(60_000);
    expect(invokeFunction).not.toHaveBeenCalled();
  });

  it('should call where no comm is opened', async () => {
    open.mockReturnValue(new Promise(() => undefined));
    await load();
    expect(document.body.textContent).toBe('text');
    await pass(10_000);
    expect(document.body.textContent).toBe('text and buttons');
  });

  it('should call at once where comms are refused', async () => {
    open.mockRejectedValue(new Error('no'));
    await load();
    expect(document.body.textContent).toBe('text and buttons');
  });

  it('should keep the text if there is no helper', async () => {
    open.mockResolvedValue(commOf());
    await load();
    open.mockRejectedValue(new Error('no'));
    invokeFunction.mockRejectedValue(new Error('no'));
    await load();
    await pass(60_000);
    expect(document.body.textContent).toBe('text');
    expect(document.head.childNodes).toHaveLength(0);
  });

  it('should request nothing in an output of another session', async () => {
    await load(false);
    await pass(60_000);
    expect(open).not.toHaveBeenCalled();
    expect(invokeFunction).not.toHaveBeenCalled();
    expect(document.body.textContent).toBe('text');
  });
});
