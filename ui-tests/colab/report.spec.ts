import { MODEL, TRAIN } from '../tests/cells';
import {
  type Bundle,
  missingIn,
  sentencesOf,
  suggestionIn,
  textOf
} from '../tests/reading';
import {
  type Cell,
  expect,
  type IOpenOptions,
  type Notebook,
  START,
  test
} from './colab';
import { faultsOf, picture } from './themes';

/** Ways of text to become something else. */
const HOSTILE = [
  '<img src=x onerror="globalThis.harmed=1">',
  '</script><script>globalThis.harmed=1</script>',
  '</div></style><svg onload="globalThis.harmed=1">',
  '<a href="javascript:globalThis.harmed=1">x</a>',
  '"><iframe srcdoc="<script>parent.harmed=1</script>">',
  "' onmouseover='globalThis.harmed=1",
  '&lt;script&gt;globalThis.harmed=1&lt;/script&gt;',
  '<!-- <script>',
  ']]><script>globalThis.harmed=1</script>',
  '<style>*{display:none}</style>',
  '\\u003cscript\\u003eglobalThis.harmed=1\\u003c/script\\u003e',
  '${globalThis.harmed=1}',
  '{{constructor.constructor("globalThis.harmed=1")()}}',
  '{template} {0} %s',
  '__proto__',
  'constructor',
  'line one\nline two',
  'a\u2028b\u2029c',
  '\u202Eesrever\u202C',
  '\u0000zero',
  '*bold* `code` [x](javascript:globalThis.harmed=1)',
  '<math><mtext></table><mglyph><style><img src=x onerror=globalThis.harmed=1>',
  '<template><script>globalThis.harmed=1</script></template>',
  '<form action="https://example.com"><button>Free now</button></form>',
  '<button onclick="globalThis.harmed=1">Free now</button>',
  '<meta http-equiv="refresh" content="0;url=https://example.com">',
  '<base href="https://example.com/">',
  '<link rel="stylesheet" href="https://example.com/a.css">',
  '<object data="https://example.com/"></object>',
  'x'.repeat(5000)
];

/** Makes a model, trains it for a step, and runs out of memory beside the optimizer's state. */
const TRAINED = `import torch
from torch import nn

batch_size = 20000
model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(40)]).cuda()
opt = torch.optim.AdamW(model.parameters())
history = []
for step in range(4):
    loss = model(torch.randn(batch_size, 1024, device="cuda")).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append("a step")`;

/** Run out of memory in the last cell. */
async function fail(notebook: Notebook, source = TRAIN): Promise<Cell> {
  await notebook.run(START);
  await notebook.run(MODEL);
  const failed = await notebook.run(source);
  await failed.look();
  await expect(failed.button('Free now')).toBeVisible();
  return failed;
}

/** The cell that is there now and was not before. */
async function inserted(notebook: Notebook, below: Cell): Promise<Cell> {
  const names = (await notebook.cells()).map(({ name }) => name);
  const [next] = names.slice(names.indexOf(below.name) + 1);
  expect(next).toBeDefined();
  return notebook.cell(next ?? '');
}

const inUse = (notebook: Notebook): Promise<unknown> =>
  notebook.value('__import__("torch").cuda.memory_allocated()');

test('should stand below the traceback, and tell live what it tells as text', async ({
  open,
  page
}) => {
  const notebook = await open();
  const failed = await fail(notebook);
  const outputs = await failed.outputs();
  expect(outputs.map(({ type }) => type)).toEqual(['error', 'display_data']);
  const html = await failed.html();
  expect(html).toContain('Out of simulated GPU memory');
  expect(html.replace(/<script>[^]*<\/script>/, '')).not.toContain('<button');
  const [shown] = (await failed.outputs()).filter(
    ({ type }) => type === 'display_data'
  );
  const bundle = shown?.content.data as Bundle;
  const sentences = sentencesOf(bundle);
  const saved = await page.evaluate(
    html =>
      new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '',
    String(bundle['text/html'])
  );
  expect(missingIn(saved, sentences)).toEqual([]);
  expect(missingIn(String(bundle['text/plain']), sentences)).toEqual([]);
  expect(missingIn(await textOf(failed.output), sentences)).toEqual([]);
  expect(await faultsOf(failed)).toEqual([]);
});

test('should free what the error holds, and insert a cell that runs @sample @smoke', async ({
  open
}) => {
  const notebook = await open();
  const failed = await fail(notebook);
  const before = await inUse(notebook);
  await picture(failed, 'report');
  await failed.button('Free now').click();
  await expect(failed.output).toContainText(/GiB freed/);
  await picture(failed, 'freed');
  const after = await inUse(notebook);
  const freed = (Number(before) - Number(after)) / 2 ** 30;
  expect(freed).toBeGreaterThan(1);
  await expect(failed.output).toContainText(`${freed.toFixed(1)} GiB freed`);

  const count = await notebook.all.count();
  await failed.button('Insert fixed cell').click();
  await expect(notebook.all).toHaveCount(count + 1);
  const fixed = await inserted(notebook, failed);
  const source = await fixed.source();
  const [, size] = /batch_size = (\d+)/.exec(source) ?? [];
  expect(source).toBe(TRAIN.replace('32768', size ?? ''));
  expect(Number(size)).toBeLessThan(32768);
  await fixed.run();
  expect(await fixed.ended()).toMatchObject({ status: 'ok' });
  expect(await fixed.text()).toContain(`trained with ${size}`);
});

test('should insert a cell that tries the edits on a simulated GPU', async ({
  open
}) => {
  const notebook = await open();
  const failed = await fail(notebook);
  const count = await notebook.all.count();
  await failed.button('Insert a dry run of the edits').click();
  await expect(notebook.all).toHaveCount(count + 1);
  await expect(failed.output).toContainText('Inserted below, not run yet.');
  const asking = await inserted(notebook, failed);
  expect(await asking.source()).toBe(
    'import gpu_headroom\ngpu_headroom.dry_run("4096 MiB")'
  );
  await asking.run();
  expect(await asking.ended()).toMatchObject({ status: 'ok' });
  const said = JSON.stringify(await asking.outputs());
  expect(said).toContain('Needed at its peak: 6.3 GiB, simulated.');
  expect(said).toMatch(/batch_size = 32768.*fits, peak/);
});

test('should free nothing that a person named, and say what running again loses', async ({
  open
}) => {
  const notebook = await open();
  await notebook.run(START);
  const failed = await notebook.run(TRAINED);
  await failed.look();
  await expect(failed.button('Free now')).toBeVisible();
  const alive =
    '[len(history), [int(each["step"]) for each in opt.state.values()][:1]]';
  const before = await notebook.value(alive);
  await failed.button('Free now').click();
  await expect(failed.output).toContainText(/GiB freed|Nothing was freed/);
  expect(await notebook.value(alive)).toEqual(before);

  const count = await notebook.all.count();
  await failed.button('Insert fixed cell').first().click();
  await expect(notebook.all).toHaveCount(count + 1);
  await expect(failed.output).toContainText(
    'What model, opt learned in training is lost'
  );
  expect(await notebook.value(alive)).toEqual(before);
});

test('should copy what a suggestion shows', async ({ context, open, page }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const notebook = await open();
  const failed = await fail(notebook);
  const count = await notebook.all.count();
  const { code, copy, item } = await suggestionIn(failed.output);
  await copy.click();
  await expect(item.getByRole('status')).toHaveText('Copied.');
  await expect(copy).toBeFocused();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  await expect(notebook.all).toHaveCount(count);
});

test.describe('where the page inserts no cells', () => {
  /** Open a notebook, fail, and press what stands where Insert stood. */
  async function copy(
    open: (options: IOpenOptions) => Promise<Notebook>,
    copying: boolean
  ): Promise<Cell> {
    const notebook = await open({ inserting: false, copying });
    const failed = await fail(notebook);
    await expect(failed.button(/^Insert/)).toHaveCount(0);
    await failed.button(/^Copy/).first().click();
    return failed;
  }

  test('should copy the fixed cell', async ({ open, context, page }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await copy(open, true);
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(/^batch_size = \d+\n\ntrain\(batch_size\)/);
  });

  test('should have the fixed cell to select, where copying is refused', async ({
    open
  }) => {
    const failed = await copy(open, false);
    const code = failed.output.locator('pre', { hasText: 'train(batch_size)' });
    await expect(code).toBeVisible();
    await expect
      .poll(() => code.evaluate(() => String(getSelection())))
      .toMatch(/^batch_size = \d+\n\ntrain\(batch_size\)/);
  });
});

test('should insert a clean-up cell, which runs', async ({ open }) => {
  const notebook = await open();
  await fail(notebook);
  const gauge = await notebook.run('%gpu_headroom');
  await gauge.look();
  await gauge.button('Free memory…').click();
  await gauge.button('Insert clean-up cell').click();
  await expect(notebook.all).toHaveCount(5);
  const cleanUp = await inserted(notebook, gauge);
  await cleanUp.run();
  expect(await cleanUp.ended()).toMatchObject({ status: 'ok' });
  expect(await inUse(notebook)).toBeLessThan(2 ** 30);
});

/** Press *Free now* while a cell waits for input, once the frame knows of that. */
async function queueRelease(notebook: Notebook, failed: Cell): Promise<Cell> {
  const before = await failed.heard();
  const busy = await notebook.start('input()');
  // One may be the answer to a poll of before, the next is told under the cell.
  await expect.poll(() => failed.heard()).toBeGreaterThan(before + 2);
  await failed.button('Free now').click();
  await expect(failed.output).toContainText(
    'Starts when the running cell finishes'
  );
  return busy;
}

test('should say that a click waits for the running cell, and take it back', async ({
  open
}) => {
  const notebook = await open();
  const failed = await fail(notebook);
  const busy = await queueRelease(notebook, failed);
  await picture(failed, 'queued');
  await failed.button('Cancel').click();
  await expect(failed.output).not.toContainText('Queued.');
  await notebook.answer('');
  await busy.ended();
  // The next question goes out, and it is none of these.
  const sent = (await notebook.sent()).length;
  await expect
    .poll(async () => (await notebook.sent()).length)
    .toBeGreaterThan(sent);
  expect(JSON.stringify(await notebook.sent())).not.toContain('"release"');
});

test('should do what waited, when the running cell has ended', async ({
  open
}) => {
  const notebook = await open();
  const failed = await fail(notebook);
  const busy = await queueRelease(notebook, failed);
  expect(await busy.runs()).toBe(true);
  await notebook.answer('');
  await busy.ended();
  await expect(failed.output).toContainText(/GiB freed/);
});

test('should work by calls alone, where no comm is ever opened', async ({
  open
}) => {
  const notebook = await open({ opening: false });
  const failed = await fail(notebook);
  await failed.button('Free now').click();
  await expect(failed.output).toContainText(/GiB freed/);
  await failed.button('Insert fixed cell').click();
  await expect(notebook.all).toHaveCount(4);
  const kinds = (await notebook.sent()).map(({ type }) => type);
  expect([...new Set(kinds)]).toEqual(['invoke']);
});

test('should become text again when the kernel is restarted', async ({
  open
}) => {
  const notebook = await open();
  const failed = await fail(notebook);
  await notebook.restart();
  await notebook.run('%load_ext gpu_headroom');
  await expect(failed.button(/^(Free|Insert)/)).toHaveCount(0);
  await expect(failed.output).toContainText('Out of simulated GPU memory');
});

test('should stay text whatever things are called', async ({ open }) => {
  const notebook = await open();
  await notebook.run(`${START.replace('4 GiB', '16 GiB')}
from torch import nn

hostile = ${JSON.stringify(HOSTILE)}
for name in hostile:
    globals()[name] = torch.empty(2**28, dtype=torch.uint8, device="cuda")`);
  const failed = await notebook.run(`kind = type(hostile[0], (nn.Linear,), {})
layers = {name: kind(4096, 4096).cuda() for name in hostile}
torch.empty(2**34, dtype=torch.uint8, device="cuda")`);
  await expect(failed.output).toContainText('Out of simulated GPU memory');
  const raised = await notebook.run(
    'raise torch.OutOfMemoryError("CUDA out of memory. " + " ".join(hostile))'
  );
  const gauge = await notebook.run('%gpu_headroom');
  await gauge.look();
  await expect(gauge.live).toBeVisible();
  await expect(failed.output).toContainText('<img src=x');
  for (const cell of [failed, raised, gauge]) {
    await cell.look();
    const foreign = cell.output.locator(
      'img, script, iframe, a[href^="javascript"], style ~ style, form, object, meta, base, link'
    );
    await expect(foreign).toHaveCount(0);
    expect(
      await cell.frame.locator('body').evaluate(() => 'harmed' in globalThis)
    ).toBe(false);
  }
});
