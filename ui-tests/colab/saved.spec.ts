import { MODEL, TRAIN } from '../tests/cells';
import { expect, START, test } from './colab';
import { faultsOf, picture } from './themes';

/** What a reader of another session looks for. */
const GAUGE = ['Headroom: 3.7 GiB', 'Simulated GPU', '4.0 GiB'];
const REPORT = [
  'Out of simulated GPU memory',
  'activations',
  'The traceback of this error still keeps',
  'batch_size = 32768'
];

test('should read whole in another session, and ask the kernel nothing', async ({
  open,
  page
}) => {
  const notebook = await open();
  await notebook.run(START);
  const gauge = await notebook.run('%gpu_headroom');
  await expect(gauge.live).toBeVisible();
  await notebook.run(MODEL);
  const failed = await notebook.run(TRAIN);
  await failed.look();
  await expect(failed.button('Free now')).toBeVisible();
  const saved = await notebook.save();

  const requests: string[] = [];
  const again = await open({ kernel: notebook.kernel });
  page.on('request', request => {
    if (request.frame() !== page.mainFrame()) {
      requests.push(request.url());
    }
  });
  const [, gaugeAgain, , failedAgain] = await again.show(saved);
  for (const [cell, words] of [
    [gaugeAgain, GAUGE],
    [failedAgain, REPORT]
  ] as const) {
    for (const word of words) {
      await expect(cell?.output ?? page.locator('none')).toContainText(word);
    }
  }
  // Something else is answered meanwhile, so there was time to ask.
  expect(await again.value('1 + 1')).toBe(2);
  for (const cell of [gaugeAgain, failedAgain]) {
    await expect(cell?.button(/./) ?? again.all).toHaveCount(0);
  }
  expect(await again.sent()).toEqual([]);
  // The two frames themselves.
  expect(new Set(requests).size).toBe(1);
});

test('should leave its static reading as it is, byte for byte', async ({
  open
}) => {
  const notebook = await open();
  await notebook.run(START);
  const gauge = await notebook.run('%gpu_headroom');
  await expect(gauge.live).toBeVisible();
  const html = await gauge.html();
  const saved = await notebook.save();
  const again = await open({ kernel: notebook.kernel });
  const [, shown] = await again.show(saved);
  await expect(shown?.output ?? again.all).toBeVisible();
  await picture(shown ?? notebook.cell(''), 'saved');
  expect(shown && (await faultsOf(shown))).toEqual([]);
  const isSame = await shown?.output.evaluate((root, text) => {
    const parsed = new DOMParser().parseFromString(text, 'text/html');
    return root.outerHTML === parsed.querySelector('body > div')?.outerHTML;
  }, html);
  expect(isSame).toBe(true);
});

test('should take little room in a file', async ({ open }) => {
  const notebook = await open();
  await notebook.run(START);
  await notebook.run(MODEL);
  const failed = await notebook.run(TRAIN);
  const [, display] = await failed.outputs();
  const whole = JSON.stringify(display?.content.data).length;
  expect(await failed.html()).toContain('<script>');
  expect(whole).toBeLessThanOrEqual(27_000);
});
