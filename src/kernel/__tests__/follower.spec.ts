import { FakeGpuMemory, FakeMemory } from '../../__tests__/memory';
import { SAMPLE } from '../../__tests__/samples';
import { KernelFollower } from '../follower';

describe('KernelFollower', () => {
  let first: FakeMemory;
  let second: FakeMemory;
  let page: FakeGpuMemory;
  let follower: KernelFollower;
  let heard: string[];

  const focus = (memory: FakeMemory | null): void => {
    page.current = memory;
    page.currentChanged.emit();
  };

  beforeEach(() => {
    first = new FakeMemory();
    second = new FakeMemory();
    page = new FakeGpuMemory(first);
    follower = new KernelFollower(page);
    heard = [];
    follower.changed.connect(() => heard.push('kernel'));
    follower.stateChanged.connect(() => heard.push('state'));
    follower.phaseChanged.connect(() => heard.push('phase'));
    follower.eventReceived.connect((_, { type }) => heard.push(type));
  });

  afterEach(() => {
    follower.dispose();
  });

  it('should hear of the kernel that it follows, and of no other', () => {
    first.set({});
    first.send(SAMPLE);
    second.set({});
    second.send(SAMPLE);
    expect(heard).toEqual(['state', 'sample']);
  });

  it('should follow another kernel, and no more the one before', () => {
    focus(second);
    expect(follower.current).toBe(second);
    first.set({});
    first.send(SAMPLE);
    expect(heard).toEqual(['kernel', 'phase']);
    second.send(SAMPLE);
    expect(heard).toContain('sample');
  });

  it('should say that there is none', () => {
    focus(null);
    expect(follower.current).toBeNull();
    expect(heard).toEqual(['kernel', 'phase']);
  });

  it('should tell another phase from a reading', () => {
    first.set({ phase: 'disconnected' });
    first.set({});
    first.restart();
    expect(heard.filter(each => each === 'phase')).toHaveLength(3);
    expect(heard.filter(each => each === 'state')).toHaveLength(4);
  });

  it('should have readings come fast while somebody looks, of whichever kernel', () => {
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

  it('should hear nothing once it is disposed, more than once if need be', () => {
    follower.dispose();
    follower.dispose();
    first.set({});
    focus(second);
    expect(heard).toEqual([]);
  });
});
