import { FakeMemory, settle } from '../../__tests__/memory';
import { RELEASED } from '../../__tests__/report';
import { SAMPLE } from '../../__tests__/samples';
import type { ReleaseSession } from '../session';
import { makePlan, makeVariable, TRACEBACK } from './plans';
import { FakeServices } from './services';

describe('the release session of a kernel', () => {
  let memory: FakeMemory;
  let services: FakeServices;
  let session: ReleaseSession;

  const walks = (): number =>
    memory.requests.filter(([type]) => type === 'plan').length;

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

  it('should be one for all who show it', () => {
    expect(services.sessions.get(memory)).toBe(session);
  });

  it('should measure once for the popup and the panel', async () => {
    const looking = session.checklist.plan.show();
    session.dialog.open();
    await planned();
    expect(walks()).toBe(1);
    session.dialog.close();
    looking.dispose();
    session.dialog.open();
    await settle();
    expect(walks()).toBe(1);
  });

  it('should let a person wait long only where nothing is known', async () => {
    session.dialog.open();
    await planned();
    expect(memory.requests.at(-1)).toEqual(['plan', { asked: true }]);
  });

  it('should take back what was chosen in a popup that is put away', async () => {
    session.checklist.plan.show();
    await planned();
    session.checklist.choose('traceback', false);
    session.dialog.open();
    session.checklist.choose('variable:model', true);
    expect(session.checklist.chosen.map(({ id }) => id)).toEqual([
      'variable:model'
    ]);
    session.dialog.close();
    expect(session.checklist.chosen).toEqual([]);
    expect(session.checklist.choices.get('traceback')).toBe(false);
  });

  it('should not propose again what was chosen and freed', async () => {
    session.dialog.open();
    await planned();
    session.checklist.choose('variable:model', true);
    const done = session.dialog.free();
    await settle();
    expect(session.isFreeing).toBe(true);
    memory.send(RELEASED);
    await done;
    expect(session.isFreeing).toBe(false);
    expect(session.dialog.step.kind).toBe('done');
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
