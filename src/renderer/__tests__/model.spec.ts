import { nullTranslator } from '@jupyterlab/translation';

import { FakeMemory, settle } from '../../__tests__/memory';
import { RELEASED, REPORT } from '../../__tests__/report';
import type { IOom } from '../../protocol';
import { FakeServices } from '../../release/__tests__/services';
import { ReportModel } from '../model';

const trans = nullTranslator.load('gpu-headroom');

const OOM: IOom = {
  type: 'oom',
  helper_id: REPORT.helper_id,
  report_id: REPORT.report_id,
  time_s: REPORT.time_s,
  cell_id: REPORT.cell_id,
  device_index: 0,
  requested_bytes: null,
  available_bytes: null
};

const known = () =>
  Promise.resolve({ status: 'known' as const, report: REPORT, released: null });

describe('ReportModel', () => {
  const models = new Set<ReportModel>();

  function follow(memory: FakeMemory, id = REPORT): ReportModel {
    const releases = new FakeServices().sessions.get(memory);
    const model = new ReportModel(releases, id, trans);
    models.add(model);
    return model;
  }

  afterEach(() => {
    [...models].forEach(model => {
      model.dispose();
    });
  });

  it('should confirm a report that the running helper has', async () => {
    const memory = new FakeMemory({ report: known });
    const model = follow(memory, REPORT);
    expect(model.trust).toBe('asking');
    await settle();
    expect(model.trust).toBe('confirmed');
    expect(model.report).toBe(REPORT);
    expect(memory.requests).toEqual([
      ['report', { helper_id: 'helper-1', report_id: 'report-1' }]
    ]);
  });

  it('should adopt a release that was made before', async () => {
    const memory = new FakeMemory({
      report: () =>
        Promise.resolve({
          status: 'known' as const,
          report: REPORT,
          released: RELEASED
        })
    });
    const model = follow(memory, REPORT);
    await settle();
    expect(model.released).toBe(RELEASED);
  });

  it('should not confirm a report that the helper does not have', async () => {
    const memory = new FakeMemory({
      report: () =>
        Promise.resolve({
          status: 'unknown' as const,
          report: null,
          released: null
        })
    });
    const model = follow(memory, REPORT);
    await settle();
    expect(model.trust).toBe('saved');
  });

  it('should not ask another helper', async () => {
    const memory = new FakeMemory({ report: known });
    const model = follow(memory, { ...REPORT, helper_id: 'helper-0' });
    await settle();
    expect(model.trust).toBe('saved');
    expect(memory.requests).toEqual([]);
  });

  it('should confirm nothing after a restart', async () => {
    const memory = new FakeMemory({ report: known });
    const model = follow(memory, REPORT);
    await settle();
    memory.restart();
    await settle();
    expect(model.trust).toBe('saved');
    expect(model.report).toBeNull();
    expect(memory.requests).toHaveLength(1);
  });

  it('should ignore a reply that arrives after a restart', async () => {
    const memory = new FakeMemory({ report: known });
    const model = follow(memory, REPORT);
    memory.restart();
    await settle();
    expect(model.trust).toBe('saved');
  });

  it('should ask again after a reconnect', async () => {
    const memory = new FakeMemory({ report: known });
    const model = follow(memory, REPORT);
    await settle();
    memory.set({ phase: 'disconnected' });
    expect(model.trust).toBe('saved');
    memory.set({ phase: 'live' });
    await settle();
    expect(model.trust).toBe('confirmed');
    expect(memory.requests).toHaveLength(2);
  });

  it('should wait while connecting to the helper', () => {
    const memory = new FakeMemory({ report: known });
    memory.set({ phase: 'connecting', hello: null });
    expect(follow(memory, REPORT).trust).toBe('asking');
    expect(memory.requests).toEqual([]);
  });

  it('should give up on a helper that does not reply three times', async () => {
    const memory = new FakeMemory();
    const model = follow(memory, REPORT);
    for (let reading = 0; reading < 10; reading++) {
      await settle();
      memory.set({});
    }
    expect(model.trust).toBe('saved');
    expect(memory.requests).toHaveLength(3);
  });

  it('should follow releases made for it, and no others', async () => {
    const memory = new FakeMemory({ report: known });
    const model = follow(memory, REPORT);
    await settle();
    memory.send({ ...RELEASED, report_id: 'report-2' });
    memory.send({ ...RELEASED, status: 'nothing' });
    expect(model.released).toBeNull();
    memory.send(RELEASED);
    expect(model.released).toBe(RELEASED);
  });

  it('should follow a release of everything while it is the newest', async () => {
    const memory = new FakeMemory({ report: known });
    const model = follow(memory, REPORT);
    await settle();
    const event = { ...RELEASED, report_id: null };
    memory.send(event);
    expect(model.released).toBeNull();
    memory.set({ lastOom: OOM });
    memory.send(event);
    expect(model.released).toBe(event);
  });

  it('should be news once, and only when the cell has just failed', () => {
    const memory = new FakeMemory({ report: known });
    const model = follow(memory, REPORT);
    expect(model.takeNews()).toBe(false);
    let drawn = 0;
    model.changed.connect(() => drawn++);
    memory.set({ lastOom: OOM });
    expect(drawn).toBe(1);
    expect(model.takeNews()).toBe(true);
    expect(model.takeNews()).toBe(false);
  });

  it('should get the complete report while staying confirmed', async () => {
    let report = { ...REPORT, looking: true };
    const memory = new FakeMemory({
      report: () =>
        Promise.resolve({ status: 'known' as const, report, released: null })
    });
    const model = follow(memory, REPORT);
    await settle();
    const seen: unknown[] = [];
    model.changed.connect(() =>
      seen.push([model.trust, model.report?.looking])
    );
    report = REPORT;
    memory.send({ ...OOM, report_id: 'report-2' });
    await settle();
    expect(memory.requests).toHaveLength(1);
    memory.send(OOM);
    await settle();
    expect(seen).toEqual([['confirmed', false]]);
  });

  it('should get results found after its measurement ended', async () => {
    let report: typeof REPORT = { ...REPORT, cause: null };
    const memory = new FakeMemory({
      report: () =>
        Promise.resolve({ status: 'known' as const, report, released: null })
    });
    const model = follow(memory, REPORT);
    await settle();
    expect(model.report?.cause).toBeNull();
    report = REPORT;
    memory.send(OOM);
    await settle();
    expect(model.report?.cause).toEqual(REPORT.cause);
  });

  it('should ask again when it was completed during a request', async () => {
    let report = { ...REPORT, looking: true };
    const memory = new FakeMemory({
      report: () =>
        Promise.resolve({ status: 'known' as const, report, released: null })
    });
    const model = follow(memory, REPORT);
    report = REPORT;
    memory.send(OOM);
    await settle();
    expect(model.report?.looking).toBe(false);
  });

  it('should release its kernel, even if disposed twice', async () => {
    const memory = new FakeMemory({ report: known });
    const model = follow(memory, REPORT);
    await settle();
    memory.dispose();
    model.dispose();
    expect(model.trust).toBe('saved');
    memory.restart();
    expect(memory.requests).toHaveLength(1);
  });
});
