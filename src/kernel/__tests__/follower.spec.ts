import { FakeGpuMemory, FakeMemory } from '../../__tests__/memory';
import { SAMPLE } from '../../__tests__/samples';
import { KernelFollower } from '../follower';

describe('KernelFollower', () => {
  let first: FakeMemory;
  let second: FakeMemory;
  let page: FakeGpuMemory;
  let follower: KernelFollower;
  let received: string[];

  const focus = (memory: FakeMemory | null): void => {
    page.current = memory;
    page.currentChanged.emit();
  };

  beforeEach(() => {
    first = new FakeMemory();
    second = new FakeMemory();
    page = new FakeGpuMemory(first);
    follower = new KernelFollower(page);
    received = [];
    follower.changed.connect(() => received.push('kernel'));
    follower.stateChanged.connect(() => received.push('state'));
    follower.phaseChanged.connect(() => received.push('phase'));
    follower.eventReceived.connect((_, { type }) => received.push(type));
  });

  afterEach(() => {
    follower.dispose();
  });

  it('should receive signals only of the kernel that it follows', () => {
    first.set({});
    first.send(SAMPLE);
    second.set({});
    second.send(SAMPLE);
    expect(received).toEqual(['state', 'sample']);
  });

  it('should follow another kernel instead of the previous one', () => {
    focus(second);
    expect(follower.current).toBe(second);
    first.set({});
    first.send(SAMPLE);
    expect(received).toEqual(['kernel', 'phase']);
    second.send(SAMPLE);
    expect(received).toContain('sample');
  });

  it('should report that there is none', () => {
    focus(null);
    expect(follower.current).toBeNull();
    expect(received).toEqual(['kernel', 'phase']);
  });

  it('should distinguish a phase change from a reading', () => {
    first.set({ phase: 'disconnected' });
    first.set({});
    first.restart();
    expect(received.filter(each => each === 'phase')).toHaveLength(3);
    expect(received.filter(each => each === 'state')).toHaveLength(4);
  });

  it('should use the fast rate for any kernel while it is watched', () => {
    const watching = new Set<FakeMemory>();
    for (const memory of [first, second]) {
      jest.spyOn(memory, 'watch').mockImplementation(() => {
        watching.add(memory);
        return { dispose: () => watching.delete(memory), isDisposed: false };
      });
    }
    follower.isWatched = true;
    expect([...watching]).toEqual([first]);
    focus(second);
    expect([...watching]).toEqual([second]);
    follower.dispose();
    expect([...watching]).toEqual([]);
  });

  it('should receive nothing once it is disposed, even twice', () => {
    follower.dispose();
    follower.dispose();
    first.set({});
    focus(second);
    expect(received).toEqual([]);
  });
});
