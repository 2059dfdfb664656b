import { Signal } from '@lumino/signaling';

import { FakeGpuMemory, FakeMemory } from '../../__tests__/memory';
import type { IKernelDocument } from '../../kernel/tracker';
import { DocumentKernel } from '../documentkernel';

describe('DocumentKernel', () => {
  it('should be the kernel of its document, until that is closed', () => {
    const memory = new FakeMemory();
    const page = new FakeGpuMemory(memory);
    const sessionContext = {
      session: { kernel: {} } as object | null,
      kernelChanged: new Signal<object, void>({}),
      isReady: true
    };
    const disposed = new Signal<object, void>({});
    const source = new DocumentKernel(
      { sessionContext, disposed } as unknown as IKernelDocument,
      page
    );
    let changes = 0;
    source.currentChanged.connect(() => changes++);
    expect(source.current).toBe(memory);
    expect(source.hasDocument).toBe(true);
    sessionContext.session = null;
    sessionContext.kernelChanged.emit();
    expect(source.current).toBeNull();
    page.currentChanged.emit();
    expect(changes).toBe(2);
    disposed.emit();
    sessionContext.kernelChanged.emit();
    page.currentChanged.emit();
    expect(changes).toBe(2);
  });
});
