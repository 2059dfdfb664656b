import type { ISessionContext } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { Settings } from '../../settings';
import { KernelLink } from '../link';
import { GpuMemoryTracker, type IKernelDocument } from '../tracker';
import { FakeKernel, helper } from './fakekernel';

/** A notebook or console with nothing in it but its session. */
class FakeDocument extends Widget {
  constructor(private _kernel: FakeKernel | null) {
    super();
  }

  readonly kernelChanged = new Signal<this, unknown>(this);
  isReady = true;

  get sessionContext(): ISessionContext {
    const session = this._kernel && { kernel: this._kernel };
    const { kernelChanged, isReady } = this;
    const ready = Promise.resolve();
    const context = { session, kernelChanged, isReady, ready };
    return context as unknown as ISessionContext;
  }

  /** This fake, typed as a document. */
  get document(): IKernelDocument {
    return this;
  }

  change(kernel: FakeKernel | null): void {
    this._kernel = kernel;
    this.kernelChanged.emit(undefined);
  }
}

describe('GpuMemoryTracker', () => {
  let tracker: GpuMemoryTracker;
  let made: FakeKernel[];
  let settings: Settings;

  beforeEach(() => {
    made = [];
    settings = new Settings();
    tracker = new GpuMemoryTracker(kernel => {
      made.push(kernel as unknown as FakeKernel);
      return new KernelLink({
        kernel,
        settings,
        trans: nullTranslator.load('gpu-headroom'),
        isPython: () => Promise.resolve(true),
        refusal: () => 'never',
        readBootstrap: () => Promise.resolve({ code: '' }),
        inject: () => Promise.resolve(null),
        onDeath: () => undefined
      });
    });
  });

  afterEach(() => {
    tracker.dispose();
    settings.dispose();
  });

  const open = (kernel: FakeKernel | null): FakeDocument => {
    const document = new FakeDocument(kernel);
    tracker.add(document.document);
    return document;
  };

  it('should follow the kernel of the focused document', () => {
    const [one, two] = [new FakeKernel('1'), new FakeKernel('2')];
    const documents = [open(one), open(two)] as const;
    tracker.focus(documents[0]);
    expect(tracker.current?.kernel).toBe(one);
    tracker.focus(documents[1]);
    expect(tracker.current?.kernel).toBe(two);
  });

  it('should show nothing for widgets that have no kernel', () => {
    tracker.focus(open(new FakeKernel()));
    tracker.focus(new Widget());
    expect(tracker.current).toBeNull();
    expect(tracker.hasDocument).toBe(false);
  });

  it('should distinguish a document without a kernel from no document', () => {
    tracker.focus(open(null));
    expect(tracker.current).toBeNull();
    expect(tracker.hasDocument).toBe(true);
  });

  it('should share one link between a notebook and its console', () => {
    const kernel = new FakeKernel('1');
    open(kernel);
    const console = new FakeKernel('1');
    console.handleComms = false;
    open(console);
    expect(made).toEqual([kernel]);
    expect(tracker.find(console.connection)).toBe(
      tracker.find(kernel.connection)
    );
  });

  it('should keep the link for the console when the notebook is closed', () => {
    const kernel = new FakeKernel('1');
    const notebook = open(kernel);
    const other = new FakeKernel('1');
    tracker.focus(open(other));
    kernel.end();
    notebook.dispose();
    expect(tracker.current?.kernel).toBe(other);
    expect(tracker.current?.isDisposed).toBe(false);
  });

  it('should dispose a link with its last document', () => {
    const kernel = new FakeKernel();
    const document = open(kernel);
    const link = tracker.find(kernel.connection);
    document.dispose();
    expect(link?.isDisposed).toBe(true);
    expect(tracker.find(kernel.connection)).toBeNull();
  });

  it('should follow a change of the kernel', () => {
    const document = open(new FakeKernel('1'));
    tracker.focus(document);
    const first = tracker.current;
    const listener = jest.fn();
    tracker.currentChanged.connect(listener);
    const other = new FakeKernel('2');
    document.change(other);
    expect(first?.isDisposed).toBe(true);
    expect(tracker.current?.kernel).toBe(other);
    document.change(null);
    expect(tracker.current).toBeNull();
    expect(listener).toHaveBeenCalledTimes(2);
  });

  it('should find the documents that use a kernel', async () => {
    const asked: (readonly IKernelDocument[])[] = [];
    const own = new GpuMemoryTracker((kernel, documents) => {
      asked.push(documents());
      (kernel as unknown as FakeKernel).answer = helper();
      return new KernelLink({
        kernel,
        settings,
        trans: nullTranslator.load('gpu-headroom'),
        isPython: () => Promise.resolve(true),
        refusal: () => null,
        readBootstrap: () => Promise.resolve({ code: '' }),
        inject: () => Promise.resolve(null),
        onDeath: () => undefined
      });
    });
    const document = new FakeDocument(new FakeKernel());
    own.add(document.document);
    await Promise.resolve();
    expect(asked).toEqual([[document]]);
    own.dispose();
    document.dispose();
  });

  it('should dispose of all links, and be disposed twice', () => {
    const kernel = new FakeKernel();
    open(kernel);
    const link = tracker.find(kernel.connection);
    tracker.dispose();
    tracker.dispose();
    expect(link?.isDisposed).toBe(true);
    open(new FakeKernel('2'));
    expect(made).toHaveLength(1);
  });
});
