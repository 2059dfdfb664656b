import { FakeMemory, settle } from '../../__tests__/memory';
import { SAMPLE } from '../../__tests__/samples';
import type { ReleaseSession } from '../session';
import { makePlan, makeVariable, TRACEBACK } from './plans';
import { FakeServices } from './services';

describe('the release session of a kernel', () => {
  let memory: FakeMemory;
  let services: FakeServices;
  let session: ReleaseSession;

  beforeEach(() => {
    memory = new FakeMemory({
      plan: () => Promise.resolve({ status: 'queued' }),
      release: () =>
        Promise.resolve({ release_id: 'release-1', status: 'queued' })
    });
    memory.set({ sample: { ...SAMPLE, busy: false } });
    services = new FakeServices();
    session = services.sessions.get(memory);
  });

  const planned = async (): Promise<void> => {
    await settle();
    memory.send(makePlan([TRACEBACK, makeVariable('model')]));
    await settle();
  };

  it('should be shared by all views', () => {
    expect(services.sessions.get(memory)).toBe(session);
  });

  it('should not propose again what was selected and freed', async () => {
    session.checklist.plan.show();
    await planned();
    session.checklist.choose('variable:model', true);
    await session.free(session.checklist.chosen);
    expect(services.released).toEqual([
      [['traceback', 'variable:model'], ['variable:model']]
    ]);
    expect(session.checklist.choices.size).toBe(0);
  });

  it('should free once, however often it is pressed', async () => {
    session.begin({ items: null, confirmed: [], report_id: null });
    await session.free([TRACEBACK]);
    expect(services.released).toEqual([]);
  });

  it('should end with its kernel', () => {
    memory.dispose();
    expect(session.checklist.isDisposed).toBe(true);
  });
});
