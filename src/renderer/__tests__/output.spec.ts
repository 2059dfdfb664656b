import { Widget } from '@lumino/widgets';

import { type Renderer, ReportOutput } from '../output';

class FakeRenderer extends Widget {
  readonly renderModel = jest.fn(() => Promise.resolve());
}

type Model = Parameters<Renderer['renderModel']>[0];

const MODEL = { data: {} } as Model;

describe('ReportOutput', () => {
  let renderer: FakeRenderer;
  let load: jest.Mock<Promise<Renderer>, []>;
  let output: ReportOutput;

  beforeEach(() => {
    renderer = new FakeRenderer();
    load = jest.fn(() => Promise.resolve(renderer));
    output = new ReportOutput(load);
  });

  it('should load nothing before there is a report', () => {
    expect(load).not.toHaveBeenCalled();
  });

  it('should load its renderer once, however often it is rendered', async () => {
    await Promise.all([output.renderModel(MODEL), output.renderModel(MODEL)]);
    expect(load).toHaveBeenCalledTimes(1);
    expect(renderer.renderModel).toHaveBeenCalledTimes(2);
    expect(output.node.contains(renderer.node)).toBe(true);
  });

  it('should leave nothing if its cell is removed before that is loaded', async () => {
    const drawn = output.renderModel(MODEL);
    output.dispose();
    await drawn;
    expect(renderer.isDisposed).toBe(true);
    expect(renderer.renderModel).not.toHaveBeenCalled();
  });

  it('should dispose its renderer', async () => {
    await output.renderModel(MODEL);
    output.dispose();
    expect(renderer.isDisposed).toBe(true);
  });

  it('should reject if that cannot be loaded, and try again', async () => {
    load.mockRejectedValueOnce(new Error('no server'));
    await expect(output.renderModel(MODEL)).rejects.toThrow('no server');
    await output.renderModel(MODEL);
    expect(renderer.renderModel).toHaveBeenCalledTimes(1);
  });
});
