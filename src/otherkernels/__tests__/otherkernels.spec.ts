import type { Kernel } from '@jupyterlab/services';

import {
  FakeGpuMemory,
  FakeMemory,
  settle as settleOnce
} from '../../__tests__/memory';
import { CELL, HELLO, SAMPLE } from '../../__tests__/samples';
import { type Answer, FakeKernel } from '../../kernel/__tests__/fakekernel';
import type { IReplies } from '../../protocol';
import { Settings } from '../../settings';
import { OtherKernels } from '../otherkernels';
import { FakeServices, makeModel } from './fakeservices';

/** A page whose own kernel is `own`, and which follows the given kernels. */
class FakePage extends FakeGpuMemory {
  readonly followed = new Map<string, FakeMemory>();

  override find(kernel?: Pick<Kernel.IModel, 'id'>): FakeMemory | null {
    return this.followed.get(kernel?.id ?? '') ?? null;
  }
}

describe('the other kernels of the server', () => {
  let services: FakeServices;
  let page: FakePage;
  let others: OtherKernels;

  const settle = async (): Promise<void> => {
    for (let round = 0; round < 8; round++) {
      await settleOnce();
    }
  };

  const presence = (
    change: Partial<IReplies['presence']> = {}
  ): Omit<IReplies['presence'], 'type' | 'id'> => ({
    sample: { ...SAMPLE, busy: false },
    idle_since_s: SAMPLE.time_s - 7200,
    ...change
  });

  /** A kernel that another page uses. */
  const serve = (id: string, answer: Answer): FakeKernel => {
    const kernel = new FakeKernel(id);
    kernel.answer = answer;
    services.reached.set(id, kernel);
    return kernel;
  };

  const there: Answer = ({ type, id }) => ({ type, id, ...presence() });

  /** A kernel whose notebook is open on this page. */
  const follow = (id: string, memory: FakeMemory): FakeMemory => {
    Object.assign(memory.kernel, { id });
    page.followed.set(id, memory);
    return memory;
  };

  const names = (): string[] => others.kernels.map(({ name }) => name);

  beforeEach(() => {
    services = new FakeServices();
    page = new FakePage(null);
    page.current = follow(
      'own',
      new FakeMemory({ presence: () => Promise.resolve(presence()) })
    );
    services.models = [makeModel('own'), makeModel('other')];
    services.sessions = [
      {
        path: 'runs/sweep-lr.ipynb',
        name: '',
        type: 'notebook',
        kernel: makeModel('other')
      }
    ];
    others = new OtherKernels({
      memory: page,
      services: services.manager,
      settings: new Settings()
    });
  });

  afterEach(() => {
    others.dispose();
  });

  it('should be asked only while they are displayed', async () => {
    const kernel = serve('other', there);
    await settle();
    expect(kernel.requests).toHaveLength(0);
    const watch = others.watch();
    await settle();
    expect(kernel.requests.map(({ type }) => type)).toEqual(['presence']);
    watch.dispose();
    others.askUnasked();
    await settle();
    expect(names()).toEqual(['sweep-lr.ipynb']);
  });

  it('should be asked over a connection of their own, which is disposed', async () => {
    const kernel = serve('other', there);
    others.watch();
    await settle();
    expect(services.connected).toEqual([{ id: 'other', handleComms: false }]);
    expect(kernel.isDisposed).toBe(true);
  });

  it('should list name, path, idle time and devices', async () => {
    serve('other', there);
    others.watch();
    await settle();
    const [kernel] = others.kernels;
    expect(kernel).toMatchObject({
      id: 'other',
      name: 'sweep-lr.ipynb',
      path: 'runs/sweep-lr.ipynb',
      isBusy: false,
      devices: SAMPLE.devices
    });
    const idle_s = (Date.now() - (kernel?.idleSince_ms ?? 0)) / 1000;
    expect(Math.round(idle_s)).toBe(7200);
  });

  it('should not include the own kernel, whichever that is', async () => {
    serve('other', there);
    others.watch();
    await settle();
    expect(others.kernels.map(({ id }) => id)).toEqual(['other']);
    page.current = follow('other', new FakeMemory());
    expect(others.kernels.map(({ id }) => id)).not.toContain('other');
  });

  it('should list those that this page follows without asking them', async () => {
    const linked = follow('other', new FakeMemory());
    const now = Date.now();
    linked.set({
      sample: { ...SAMPLE, busy: false },
      sampleAt_ms: now,
      cell: { ...CELL, end_s: SAMPLE.time_s - 60 }
    });
    expect(others.kernels).toMatchObject([
      {
        name: 'sweep-lr.ipynb',
        devices: SAMPLE.devices,
        idleSince_ms: now - 60_000
      }
    ]);
    others.watch();
    await settle();
    expect(linked.requests).toEqual([]);
    expect(services.connected).toEqual([]);
  });

  it('should not show old numbers where a request would wait for a cell', async () => {
    const linked = follow('other', new FakeMemory());
    linked.set({ hello: { ...HELLO, control: false }, sample: SAMPLE });
    others.watch();
    await settle();
    expect(linked.requests).toEqual([]);
    expect(services.connected).toEqual([]);
    expect(names()).toEqual([]);
  });

  it('should be asked at once, and then a few at a time', async () => {
    const ids = ['1', '2', '3', '4'];
    const kernels = ids.map(id => serve(id, there));
    services.models = ids.map(id => makeModel(id));
    const counts = (): number[] =>
      kernels.map(({ requests }) => requests.length);
    others.watch();
    await settle();
    expect(counts()).toEqual([1, 1, 1, 1]);
    const now = jest.spyOn(Date, 'now');
    for (let round = 1; round < 5; round++) {
      now.mockReturnValue(Date.now() + 15_000);
      others.askUnasked();
      await settle();
    }
    now.mockRestore();
    expect(counts()).toEqual([3, 3, 3, 3]);
  });

  it('should count as other programs if they do not reply', async () => {
    serve('other', () => ({}));
    others.watch();
    await settle();
    expect(names()).toEqual([]);
    serve('third', ({ id }) => ({
      type: 'refused',
      id,
      message: {
        id: 'refused.unknown',
        template: 'Unknown.',
        params: {},
        text: 'Unknown.'
      }
    }));
    services.models = [makeModel('third')];
    others.askUnasked();
    await settle();
    expect(names()).toEqual([]);
  });

  it('should not be asked if they report not to be IPython', async () => {
    const kernel = serve('other', there);
    kernel.info = Promise.resolve({ implementation: 'w' });
    others.watch();
    await settle();
    expect(kernel.requests).toEqual([]);
    expect(kernel.isDisposed).toBe(true);
    expect(names()).toEqual([]);
  });

  it('should be asked while a cell keeps them from sending their info', async () => {
    jest.useFakeTimers();
    const kernel = serve('other', there);
    kernel.info = new Promise(() => undefined);
    others.watch();
    await jest.advanceTimersByTimeAsync(4000);
    expect(names()).toEqual(['sweep-lr.ipynb']);
    jest.useRealTimers();
  });

  it('should not be asked if they have another language', async () => {
    services.models = [makeModel('other', { name: 'ir' })];
    others.watch();
    await settle();
    expect(services.connected).toEqual([]);
  });

  it('should be asked without a page only on request of the user', async () => {
    serve('other', there);
    services.models = [makeModel('other', { connections: 0 })];
    others.watch();
    await settle();
    expect(others.unasked).toBe(1);
    expect(services.connected).toEqual([]);
    others.askUnasked();
    expect(others.unasked).toBe(0);
    expect(others.isAsking).toBe(true);
    await settle();
    expect(others.isAsking).toBe(false);
    expect(names()).toEqual(['sweep-lr.ipynb']);
  });

  it('should need another request once their page was connected again', async () => {
    serve('other', there);
    for (const connections of [0, 1, 0]) {
      services.models = [makeModel('other', { connections })];
      const watch = others.watch();
      if (services.connected.length === 0) {
        others.askUnasked();
      }
      await settle();
      watch.dispose();
    }
    expect(services.connected).toHaveLength(2);
    expect(others.unasked).toBe(1);
  });

  it('should be asked rarely while busy', async () => {
    const kernel = serve('other', there);
    services.models = [makeModel('other', { execution_state: 'busy' })];
    others.watch();
    await settle();
    others.askUnasked();
    await settle();
    expect(kernel.requests).toHaveLength(1);
    expect(others.kernels[0]?.isBusy).toBe(true);
    services.run([makeModel('other')]);
    expect(others.kernels[0]?.isBusy).toBe(false);
  });

  it('should be removed with their kernel', async () => {
    serve('other', there);
    const changed = jest.fn();
    others.changed.connect(changed);
    others.watch();
    await settle();
    changed.mockClear();
    await others.shutDown('other');
    expect(services.ended).toEqual(['other']);
    expect(changed).toHaveBeenCalledTimes(1);
    expect(names()).toEqual([]);
  });

  it('should report whether one shares a GPU with a kernel', async () => {
    serve('other', there);
    const own = follow('own', new FakeMemory());
    page.current = own;
    own.set({ sample: SAMPLE });
    expect(others.isSharing(own)).toBe(false);
    others.watch();
    await settle();
    expect(others.isSharing(own)).toBe(true);
    own.set({ sample: { ...SAMPLE, devices: [] } });
    expect(others.isSharing(own)).toBe(false);
  });

  it('should name a kernel that nothing uses by its spec', async () => {
    serve('other', there);
    services.sessions = [];
    others.watch();
    await settle();
    expect(names()).toEqual(['python3']);
  });
});
