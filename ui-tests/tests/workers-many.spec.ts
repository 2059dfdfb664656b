import { expect, test } from './application';
import { faultsOf } from './axe';
import { FAMILIES, notebookOf } from './cells';
import { picture } from './pictures';
import { gauge } from './surfaces';
import { CLUSTER, FILL, fill, follow } from './thousand';

test.describe('A thousand workers', () => {
  test('should be listed, the fullest first, and found by name', async ({
    open,
    page
  }) => {
    await page.setViewportSize({ width: 1400, height: 1200 });
    const notebook = await open(notebookOf([CLUSTER, FILL], FAMILIES));
    await follow(page, notebook);
    await fill(page, notebook);
    await expect(gauge(page)).toContainText('1000 Dask workers · fullest 98%');

    const section = page.locator('#gpu-headroom-panel-workers');
    const rows = section.getByRole('listitem');
    await expect(rows).toHaveCount(16);
    await expect(rows.first()).toContainText(
      /^Dask worker 999.*GPU 7, node124/
    );
    await expect(rows.last()).toContainText(/^Dask worker 984.*GPU 0, node123/);
    await expect(section).toContainText('984 more workers');
    await picture(page, 'workers-many', section);
    expect(await faultsOf(page, '#gpu-headroom-panel')).toEqual([]);

    const filter = section.getByRole('searchbox');
    await filter.fill('Dask worker 137');
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText('GPU 1, node17');

    // On node12 and from node120 on are 48 workers, of which an answer has 16.
    await filter.fill('node12');
    await expect(section).toContainText('32 more workers');
    await expect(rows).toHaveCount(16);
    await filter.fill('node999');
    await expect(section).toContainText('No worker has this name.');
  });
});
