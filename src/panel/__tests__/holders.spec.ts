import { type Answers, FakeMemory, settle } from '../../__tests__/memory';
import { message } from '../../__tests__/report';
import { CELL, EVENTS, SAMPLE } from '../../__tests__/samples';
import type { ICell } from '../../protocol';
import type { Task } from '../../kernel/task';
import { HoldersModel } from '../holders';
import { makeHolders } from './held';

/** Longer than the delay after which cells in a row are measured. */
const RESTED_MS = 350;

const ENDED: ICell = { ...CELL, status: 'ok', start_s: 10, end_s: 12 };
const RUNNING: ICell = { ...CELL, status: 'running', start_s: 20, end_s: null };
const LIVE = { ...SAMPLE, state: 'live' as const, busy: false };

describe('the model of the holders', () => {
  let answers: Answers;
  let memory: FakeMemory;
  let holders: HoldersModel;

  const asked = (): number =>
    memory.requests.filter(([type]) => type === 'holders').length;

  const taskOf = (id: string): Task<'path'> | undefined => holders.path(id);

  const rest = (): Promise<void> =>
    new Promise(resolve => setTimeout(resolve, RESTED_MS));

  const show = async (): Promise<void> => {
    holders.measurement.show();
    await rest();
  };

  beforeEach(() => {
    answers = {
      holders: () => Promise.resolve({ status: 'queued', last: null }),
      path: () => Promise.resolve({ status: 'queued' })
    };
    memory = new FakeMemory(answers);
    memory.set({ sample: LIVE, cell: ENDED });
    holders = new HoldersModel(memory);
  });

  afterEach(() => {
    holders.dispose();
  });

  it('should request nothing while it is not displayed', async () => {
    memory.set({ cell: { ...ENDED, end_s: 15 } });
    await rest();
    expect(asked()).toBe(0);
  });

  it('should measure once when it is displayed', async () => {
    await show();
    expect(asked()).toBe(1);
    expect(holders.measurement.task?.step).toBe('begun');
    const measured = makeHolders();
    memory.send(measured);
    memory.set({});
    await rest();
    expect(asked()).toBe(1);
    expect(holders.measurement.task).toBeNull();
    expect(holders.measurement.last).toBe(measured);
  });

  it('should measure again after a cell, and once for several in a row', async () => {
    await show();
    memory.send(makeHolders());
    memory.set({ cell: { ...ENDED, end_s: 15 } });
    memory.set({ cell: { ...ENDED, end_s: 16 } });
    await rest();
    expect(asked()).toBe(2);
  });

  it('should wait for a running cell to end', async () => {
    await show();
    memory.send(makeHolders());
    memory.set({ cell: RUNNING });
    await rest();
    expect(asked()).toBe(1);
    memory.set({ cell: { ...RUNNING, status: 'ok', end_s: 22 } });
    await rest();
    expect(asked()).toBe(2);
  });

  it('should use what the helper still has while a cell runs', async () => {
    const last = makeHolders();
    answers.holders = () => Promise.resolve({ status: 'waiting', last });
    memory.set({ cell: RUNNING });
    await show();
    expect(holders.measurement.task?.step).toBe('waiting');
    expect(holders.measurement.last).toBe(last);
  });

  it('should not measure twice what was measured when the cell ended', async () => {
    answers.holders = () => Promise.resolve({ status: 'waiting', last: null });
    memory.set({ cell: RUNNING });
    await show();
    memory.set({ cell: { ...RUNNING, status: 'ok', end_s: 22 } });
    memory.send(makeHolders());
    await rest();
    expect(asked()).toBe(1);
  });

  it('should measure again after a release', async () => {
    await show();
    memory.send(makeHolders());
    memory.set({ lastReleased: EVENTS.released });
    await rest();
    expect(asked()).toBe(2);
  });

  it('should keep a result that arrives before the reply', async () => {
    const measured = makeHolders();
    answers.holders = () => {
      memory.send(measured);
      return Promise.resolve({ status: 'queued', last: makeHolders() });
    };
    await show();
    expect(holders.measurement.task).toBeNull();
    expect(holders.measurement.last).toBe(measured);
  });

  it('should show why it could not be measured, and try again on request', async () => {
    answers.holders = () => Promise.reject(new Error('Not yet.'));
    await show();
    expect(holders.measurement.problem).toEqual(new Error('Not yet.'));
    await rest();
    expect(asked()).toBe(1);
    answers.holders = () => Promise.resolve({ status: 'queued', last: null });
    void holders.measurement.measure(true);
    expect(holders.measurement.task?.step).toBe('begun');
  });

  it('should show the elapsed time, and cancel it', async () => {
    answers.cancel = () => Promise.resolve({ cancelled: true });
    void holders.measurement.measure(true);
    await settle();
    expect(memory.requests.at(-1)).toEqual(['holders', { asked: true }]);
    memory.send({ ...EVENTS.progress, request_id: '1', elapsed_s: 2 });
    expect(holders.measurement.task?.elapsed_s).toBe(2);
    await holders.measurement.task?.cancel();
    expect(memory.requests.at(-1)).toEqual(['cancel', { cancelled_id: '1' }]);
    memory.send(makeHolders());
    await settle();
    expect(holders.measurement.task).toBeNull();
  });

  it('should drop the results of another helper', async () => {
    await show();
    memory.send(makeHolders());
    memory.restart();
    expect(holders.measurement.last).toBeNull();
    await rest();
    expect(asked()).toBe(2);
  });

  it('should report the progress of a search', async () => {
    holders.search('name:model');
    expect(taskOf('name:model')?.step).toBe('begun');
    await settle();
    const path = { ...EVENTS.path, request_id: '1', holder_id: 'name:model' };
    memory.send(path);
    await settle();
    expect(taskOf('name:model')?.result).toEqual(path);
  });

  it('should report that a search waits for a cell, and why one failed', async () => {
    answers.path = () => Promise.resolve({ status: 'waiting' });
    holders.search('name:model');
    await settle();
    expect(taskOf('name:model')?.step).toBe('waiting');
    memory.send({
      ...EVENTS.error,
      request_id: 'of a release',
      message: message('error.part')
    });
    await settle();
    expect(taskOf('name:model')?.step).toBe('waiting');
    memory.send({
      ...EVENTS.error,
      request_id: '1',
      message: { ...message('error.part'), text: 'It failed.' }
    });
    await settle();
    expect(taskOf('name:model')?.problem).toEqual(new Error('It failed.'));
  });

  it('should drop searches with their objects', () => {
    holders.search('name:model');
    memory.send(makeHolders());
    expect(holders.path('name:model')).toBeUndefined();
  });

  it('should request nothing once disposed, even twice', async () => {
    holders.measurement.show();
    holders.dispose();
    holders.dispose();
    await settle();
    expect(asked()).toBe(0);
  });
});
