import { type Answers, FakeMemory, settle } from '../../__tests__/memory';
import { gib, message } from '../../__tests__/report';
import { EVENTS, SAMPLE } from '../../__tests__/samples';
import { Checklist } from '../checklist';
import {
  CACHE,
  makeItem,
  makePlan,
  makeVariable,
  OUTPUT,
  say,
  TRACEBACK
} from './plans';

describe('the checklist', () => {
  let answers: Answers;
  let memory: FakeMemory;
  let checklist: Checklist;
  let isShared: boolean;

  const chosen = (): string[] => checklist.chosen.map(({ id }) => id);

  const measure = async (
    ...items: Parameters<typeof makePlan>[0]
  ): Promise<void> => {
    const measured = checklist.plan.measure(false);
    await settle();
    memory.send(makePlan(items));
    await measured;
  };

  beforeEach(() => {
    answers = { plan: () => Promise.resolve({ status: 'queued' }) };
    memory = new FakeMemory(answers);
    memory.set({ sample: { ...SAMPLE, busy: false } });
    isShared = false;
    checklist = new Checklist(memory, () => isShared);
  });

  afterEach(() => {
    checklist.dispose();
  });

  it('should be empty before it is measured', () => {
    expect(checklist.items).toBeNull();
    expect(chosen()).toEqual([]);
  });

  it('should select what is proposed', async () => {
    await measure(TRACEBACK, OUTPUT, CACHE, makeVariable('model'));
    expect(chosen()).toEqual(['traceback', 'output:5']);
  });

  it('should leave out items not worth a row', async () => {
    await measure(TRACEBACK, makeItem('output:6', { expected_bytes: 12 }));
    expect(checklist.items).toEqual([TRACEBACK]);
  });

  it('should find items too small for a row, and show why it is empty', async () => {
    const small = makeItem('output:6', { expected_bytes: 12 });
    await measure(small);
    expect(checklist.find(({ id }) => id === 'output:6')).toEqual(small);
    expect(checklist.obstacle).toBeNull();
    await measure();
    expect(checklist.obstacle).toEqual(say('Done.'));
  });

  it('should never select what cannot be freed', async () => {
    await measure(makeItem('x', { blocked: say('The debugger is open.') }));
    checklist.choose('x', true);
    expect(chosen()).toEqual([]);
  });

  it('should propose unused cache if another notebook needs it', async () => {
    await measure(CACHE);
    isShared = true;
    expect(chosen()).toEqual(['cache']);
    checklist.choose('cache', false);
    expect(chosen()).toEqual([]);
  });

  it('should keep a selection when it is measured again', async () => {
    const model = makeVariable('model');
    await measure(TRACEBACK, model);
    checklist.choose('traceback', false);
    checklist.choose('variable:model', true);
    await measure(TRACEBACK, model);
    expect(chosen()).toEqual(['variable:model']);
    checklist.choices = new Map();
    expect(chosen()).toEqual(['traceback']);
  });

  it('should send a name once, without the items it covers', async () => {
    await measure(
      makeVariable('model', { selected: true }),
      makeItem('gradients:model', { kind: 'gradients', name: 'model' })
    );
    expect(chosen()).toEqual(['variable:model']);
  });

  it('should count once what several selected items free', async () => {
    const losses = makeVariable('losses', { selected: true });
    const graph = makeItem('graph:loss', { kind: 'graph' });
    const shared = [{ ids: [losses.id, graph.id], bytes: gib(0.75) }];
    expect(checklist.gain.freed_bytes).toBe(0);
    const measured = checklist.plan.measure(false);
    memory.send(makePlan([losses, graph], '1', shared));
    await measured;
    expect(checklist.gain.freed_bytes).toBe(gib(1.25));
    checklist.choose('graph:loss', false);
    expect(checklist.gain.freed_bytes).toBe(gib(1));
  });

  it('should show why it was not measured, and keep the last result', async () => {
    await measure(TRACEBACK);
    answers.plan = () => Promise.reject(new Error('Still arriving.'));
    await checklist.plan.measure(false);
    expect(checklist.plan.problem).toEqual(new Error('Still arriving.'));
    expect(checklist.items).toEqual([TRACEBACK]);
  });

  it('should show that the kernel could not measure it', async () => {
    const measured = checklist.plan.measure(false);
    const message = say('GPU Headroom: mainloop failed.');
    memory.send({ ...EVENTS.error, request_id: '1', message });
    await measured;
    expect(checklist.plan.problem).toMatchObject({
      message: 'GPU Headroom: mainloop failed.'
    });
  });

  it('should show why the measurement is incomplete, and complete it on request', async () => {
    const measured = checklist.plan.measure(false);
    const gap = message('plan.incomplete');
    memory.send({ ...makePlan([]), complete: false, message: gap });
    await measured;
    expect(checklist.gap).toEqual(gap);
    expect(checklist.obstacle).toBeNull();
    const asked = checklist.plan.measure(true);
    expect(memory.requests.at(-1)).toEqual(['plan', { asked: true }]);
    memory.send(makePlan([TRACEBACK]));
    await asked;
    expect(checklist.gap).toBeNull();
  });

  it('should show the elapsed time, and cancel it', async () => {
    answers.cancel = () => Promise.resolve({ cancelled: true });
    const changed = jest.fn();
    const asked = checklist.plan.measure(true);
    await settle();
    const { task } = checklist.plan;
    expect(task?.elapsed_s).toBeNull();
    checklist.changed.connect(changed);
    memory.send({ ...EVENTS.progress, request_id: '1', elapsed_s: 1.1 });
    memory.send({ ...EVENTS.progress, request_id: '1', elapsed_s: 1.4 });
    memory.send({ ...EVENTS.progress, request_id: 'other', elapsed_s: 9 });
    expect(task?.elapsed_s).toBe(1);
    expect(changed).toHaveBeenCalledTimes(1);
    await task?.cancel();
    expect(memory.requests.at(-1)).toEqual(['cancel', { cancelled_id: '1' }]);
    memory.send({ ...makePlan([]), complete: false });
    await asked;
    expect(checklist.plan.task).toBeNull();
    await task?.cancel();
    expect(memory.requests.at(-1)?.[0]).toBe('cancel');
    expect(memory.requests).toHaveLength(2);
  });

  it('should drop the items of another helper', async () => {
    await measure(TRACEBACK);
    memory.restart();
    expect(checklist.items).toBeNull();
    expect(checklist.plan.task).toBeNull();
  });

  it('should measure when it is displayed, and again after a release', async () => {
    const asked = (): number =>
      memory.requests.filter(([type]) => type === 'plan').length;
    const rest = (): Promise<void> =>
      new Promise(resolve => setTimeout(resolve, 350));
    expect(asked()).toBe(0);
    const looking = checklist.plan.show();
    await settle();
    expect(asked()).toBe(1);
    memory.send(makePlan([TRACEBACK]));
    await rest();
    expect(asked()).toBe(1);
    memory.set({ lastReleased: EVENTS.released });
    await rest();
    expect(asked()).toBe(2);
    looking.dispose();
    memory.set({ lastReleased: { ...EVENTS.released, release_id: 'r-2' } });
    await rest();
    expect(asked()).toBe(2);
  });

  it('should be disposed twice, and release its kernel', () => {
    checklist.plan.show();
    checklist.dispose();
    checklist.dispose();
    expect(checklist.isDisposed).toBe(true);
    memory.set({ sample: null });
  });
});
