import { expect, test } from './application';
import { faultsOf } from './axe';
import { FAMILIES, notebookOf } from './cells';
import { picture } from './pictures';
import { gauge } from './surfaces';
import { CLUSTER, FILL, fill, follow } from './thousand';

test.describe('A thousand workers', () => {
  test('should be shown by host, the fullest first, and found by name', async ({
    open,
    page
  }) => {
    await page.setViewportSize({ width: 1400, height: 1200 });
    const notebook = await open(notebookOf([CLUSTER, FILL], FAMILIES));
    await follow(page, notebook);
    await fill(page, notebook);
    await expect(gauge(page)).toContainText('1000 Dask workers · fullest 98%');

    const section = page.locator('#gpu-headroom-panel .jp-mod-Workers');
    const rows = section.getByRole('treegrid').getByRole('row');
    const hosts = rows.filter({ hasText: '8 GPUs, 8 workers' });
    await expect(hosts).toHaveCount(16);
    await expect(section).toContainText('There are 109 more hosts');

    // The fullest host is open; another one that is opened closes it.
    const cards = rows.filter({ hasText: ' of 80.0 GiB' });
    await expect(hosts.first()).toContainText('node124');
    await expect(hosts.first()).toHaveAttribute('aria-expanded', 'true');
    await expect(cards).toHaveCount(8);
    await expect(cards.first()).toContainText('GPU 7');
    await hosts.filter({ hasText: 'node120' }).click();
    await expect(hosts.first()).toHaveAttribute('aria-expanded', 'false');
    await expect(cards).toHaveCount(8);
    await expect(section).toContainText('Dask worker 967');
    await expect(section).not.toContainText('Dask worker 999');
    await picture(page, 'workers-many', section);
    expect(await faultsOf(page, '#gpu-headroom-panel')).toEqual([]);

    const filter = section.getByRole('searchbox');
    await filter.fill('Dask worker 137');
    await expect(cards).toHaveCount(1);
    await expect(cards).toContainText('node17');
    await expect(section).toContainText('Dask worker 137');

    // On node12 and from node120 on are 48 cards, of which an answer has 16.
    await filter.fill('node12');
    await expect(cards).toHaveCount(16);
    await section.getByRole('button', { name: '32 more' }).click();
    await expect(
      section.getByRole('button', { name: '16 fuller' })
    ).toBeVisible();
    await expect(cards).toHaveCount(16);
    await filter.fill('node999');
    await expect(section).toContainText('Nothing is called so.');
  });
});
