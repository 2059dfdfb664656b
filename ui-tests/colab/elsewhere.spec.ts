import { HOLD, MODEL, TRAIN } from '../tests/cells';
import { expect, START, test } from './colab';

const TARGETS = 'sorted(get_ipython().kernel.comm_manager.targets)';

test.describe('A plain kernel in which google.colab can be imported', () => {
  test('should put out no script, open no target, and print the table', async ({
    open
  }) => {
    const notebook = await open({ isColab: false });
    await notebook.run(
      `import os\nimport google.colab\nos.environ["COLAB_RELEASE_TAG"] = "x"`
    );
    await notebook.run(START);
    const shown = await notebook.run('gpu_headroom.show()');
    await notebook.run(MODEL);
    const failed = await notebook.run(TRAIN);
    const html = (await shown.html()) + (await failed.html());
    expect(html).toContain('Headroom: 3.7 GiB');
    expect(html).toContain('Out of simulated GPU memory');
    expect(html).not.toMatch(/<script|<button/);
    expect(await notebook.value(TARGETS)).not.toContain('gpu-headroom-frame');
    expect(await notebook.page.evaluate(() => colab.unclaimed)).toEqual([]);
    const table = await notebook.run('%gpu_headroom');
    expect(await table.html()).toBe('');
    expect(await table.text()).toContain('4.0 GiB');
  });

  test('should be live where a person says what the page is', async ({
    open
  }) => {
    const notebook = await open({ isColab: false });
    await notebook.run(START);
    const gauge = await notebook.run('gpu_headroom.show(frontend="colab")');
    await expect(gauge.live).toBeVisible();
    await notebook.run(HOLD);
    await expect(gauge.output).toContainText('Headroom: 2.7 GiB');
  });
});
