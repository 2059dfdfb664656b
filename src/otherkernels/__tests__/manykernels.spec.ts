import type { ISessionContext } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { setHidden } from '../../__tests__/visibility';
import { FakeServices, makeModel } from './fakeservices';
import { OtherKernels } from '../otherkernels';
import { Settings } from '../../settings';
import { KernelLink } from '../../kernel/link';
import { GpuMemoryTracker } from '../../kernel/tracker';
import { FakeKernel, helper } from '../../kernel/__tests__/fakekernel';

const OPEN = 50;
const ELSEWHERE = 20;

const minute = (): Promise<void> => jest.advanceTimersByTimeAsync(60_000);

/** A notebook with nothing in it but its session. */
class FakeDocument extends Widget {
  constructor(kernel: FakeKernel) {
    super();
    this.sessionContext = {
      session: { kernel },
      kernelChanged: new Signal<object, void>({}),
      isReady: true,
      ready: Promise.resolve()
    } as unknown as ISessionContext;
  }

  readonly sessionContext: ISessionContext;
}

describe('a page with many notebooks', () => {
  let kernels: FakeKernel[];
  let elsewhere: FakeKernel[];
  let documents: FakeDocument[];
  let tracker: GpuMemoryTracker;
  let others: OtherKernels;
  let settings: Settings;

  beforeEach(async () => {
    jest.useFakeTimers();
    settings = new Settings();
    tracker = new GpuMemoryTracker(
      kernel =>
        new KernelLink({
          kernel,
          settings,
          trans: nullTranslator.load('gpu-headroom'),
          isPython: () => Promise.resolve(true),
          refusal: () => null,
          readBootstrap: () => Promise.resolve({ code: '' }),
          inject: () => Promise.resolve(null),
          onDeath: () => undefined
        })
    );
    kernels = Array.from({ length: OPEN }, (_, at) => new FakeKernel(`${at}`));
    documents = kernels.map(kernel => {
      kernel.answer = helper();
      const document = new FakeDocument(kernel);
      tracker.add(document);
      return document;
    });
    tracker.focus(documents[0] ?? null);
    const services = new FakeServices();
    elsewhere = Array.from({ length: ELSEWHERE }, (_, at) => {
      const kernel = new FakeKernel(`elsewhere-${at}`);
      kernel.answer = ({ id, type }) => ({
        type,
        id,
        sample: null,
        idle_since_s: null
      });
      services.reached.set(kernel.id, kernel);
      return kernel;
    });
    services.models = [...kernels, ...elsewhere].map(({ id }) => makeModel(id));
    others = new OtherKernels({
      memory: tracker,
      services: services.manager,
      settings
    });
    await minute();
  });

  afterEach(() => {
    setHidden(false);
    others.dispose();
    tracker.dispose();
    settings.dispose();
    jest.useRealTimers();
  });

  /** The requests of a minute, by kernel. */
  const count = async (): Promise<number[]> => {
    const all = [...kernels, ...elsewhere];
    all.forEach(kernel => {
      kernel.requests.length = 0;
    });
    await minute();
    return all.map(({ requests }) => requests.length);
  };

  const sum = (counts: number[]): number =>
    counts.reduce((total, each) => total + each, 0);

  it('should send seventy requests a minute at most while they rest', async () => {
    for (let repeat = 0; repeat < 5; repeat++) {
      const [looked = 0, ...rest] = await count();
      expect(looked).toBe(12);
      expect(Math.max(...rest)).toBeLessThanOrEqual(1);
      expect(looked + sum(rest)).toBeLessThanOrEqual(70);
    }
  });

  it('should do so with the list of other notebooks on screen, too', async () => {
    others.watch();
    await minute();
    for (let repeat = 0; repeat < 5; repeat++) {
      expect(sum(await count())).toBeLessThanOrEqual(70);
    }
    expect(others.kernels).toHaveLength(OPEN + ELSEWHERE - 1);
  });

  it('should poll the displayed one, whichever that is', async () => {
    tracker.focus(documents[7] ?? null);
    await minute();
    const counts = await count();
    expect(counts[7]).toBe(12);
    expect(counts[0]).toBe(1);
    tracker.focus(null);
    await minute();
    expect(Math.max(...(await count()))).toBe(1);
  });

  it('should send none while it is hidden, and request all again when it is shown', async () => {
    others.watch();
    setHidden(true);
    await minute();
    for (let repeat = 0; repeat < 5; repeat++) {
      expect(sum(await count())).toBe(0);
    }
    setHidden(false);
    await jest.advanceTimersByTimeAsync(0);
    for (const { requests } of kernels) {
      expect(requests.map(({ type }) => type)).toEqual([
        'attach',
        'cells',
        'history'
      ]);
    }
  });
});
