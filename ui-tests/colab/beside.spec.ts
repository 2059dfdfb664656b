import { HOLD, MODEL, TRAIN, WAIT } from '../tests/cells';
import { type Cell, expect, type Notebook, SHOW, START, test } from './colab';
import { faultsOf } from './themes';

/** Runs out of memory; what it has made is held by its traceback alone. */
const FAIL = `def fill():
    held_within = torch.empty(2**30, dtype=torch.uint8, device="cuda")
    torch.empty(2**33, dtype=torch.uint8, device="cuda")


fill()`;

/** More names than a report's first look has time for, and than a poll waits for. */
const HEAP = `from torch import nn

globals().update({f"name_{n}": {"a": {"b": [n]}} for n in range(200_000)})
model = nn.Linear(1024, 1024).cuda()`;

const LEAK = `losses = []
while True:
    loss = model(torch.randn(65536, 1024, device="cuda")).sum()
    losses.append(loss)`;

/** The helper forgets at once who is out of view. */
const FORGETFUL = `from gpu_headroom.frames import frame, frames

frame.LEASE_S = 2
frames._SWEEP_S = 1`;

/** Higher than any screen. */
const FILLER = Array.from({ length: 200 }, (_, line) => `# ${line}`).join('\n');

/** Displays a gauge that is its last value as well: the same output twice. */
const TWICE = `from unittest import mock

from IPython.display import HTML, display

with mock.patch.object(get_ipython().display_pub, "publish") as publish:
    gpu_headroom.show()
(shown,) = publish.call_args.args
display(shown, raw=True)
HTML(shown["text/html"])`;

async function fail(notebook: Notebook): Promise<Cell> {
  const failed = await notebook.runAfterError(FAIL);
  await failed.look();
  await expect(failed.button('Free now')).toBeVisible();
  return failed;
}

/** Free by a gauge what can be freed. */
async function freeBy(gauge: Cell): Promise<void> {
  await gauge.look();
  await expect(async () => {
    // The reports above it grow as they learn more: a click may miss what moves.
    if (await gauge.button('Free memory…').isVisible()) {
      await gauge.button('Free memory…').click();
    }
    await expect(gauge.output).toContainText('Free now', { timeout: 10_000 });
  }).toPass({ timeout: 60_000 });
  await gauge.button('Free now').click();
  await expect(gauge.output).toContainText(/Freed 1\.0 GiB/);
}

/** How many messages the frame of a cell has sent. */
async function sentBy(notebook: Notebook, cell: string): Promise<number> {
  const sent = await notebook.sent();
  return sent.filter(message => message.cell === cell).length;
}

test.describe('A report', () => {
  test('should tell what a long look has found @sample', async ({ open }) => {
    const notebook = await open();
    await notebook.run(START);
    await notebook.run(HEAP);
    const failed = await notebook.run(LEAK);
    await failed.look();
    await expect(failed.output).toContainText(
      /losses keeps \d\.\d GiB of activations/
    );
    await expect(failed.output).not.toContainText('Looking further…');
  });

  test('should alone say what was freed, of two in a notebook @sample', async ({
    open
  }) => {
    const notebook = await open();
    await notebook.run(START);
    const first = await fail(notebook);
    const second = await fail(notebook);
    await freeBy(await notebook.runAfterError(SHOW));
    await second.look();
    await expect(second.output).toContainText('1.0 GiB freed');
    await first.look();
    await expect(first.button('Free now')).toBeVisible();
    await expect(first.output).not.toContainText('GiB freed');
  });

  test('should say what was freed while it was out of view for long @sample', async ({
    open
  }) => {
    const notebook = await open();
    await notebook.run(`${START}\n${FORGETFUL}`);
    const failed = await fail(notebook);
    const gauge = await notebook.runAfterError(`${FILLER}\n${SHOW}`);
    await gauge.look();
    await expect(failed.element).not.toBeInViewport();
    const comms = 'len(get_ipython().kernel.comm_manager.comms)';
    await expect
      .poll(() => notebook.value(comms), { intervals: [5000] })
      .toBe(1);
    await freeBy(gauge);
    await failed.look();
    await expect(failed.output).toContainText('1.0 GiB freed');
  });

  test('should offer nothing that was freed by hand @sample', async ({
    open
  }) => {
    const notebook = await open();
    await notebook.run(START);
    const failed = await fail(notebook);
    await notebook.runAfterError('gpu_headroom.free_traceback()');
    await failed.look();
    await expect(failed.output).toContainText('1.0 GiB freed');
    await expect(failed.button('Free now')).toHaveCount(0);
  });

  test('should keep its advice when its cell fails again @sample', async ({
    open
  }) => {
    const notebook = await open();
    await notebook.run(START);
    await notebook.run(MODEL);
    const failed = await notebook.run(TRAIN);
    do {
      await failed.run();
    } while ((await failed.ended()).status === 'aborted');
    await failed.look();
    await expect(failed.button('Insert fixed cell')).toBeVisible();
    await failed.button('Free now').click();
    // Python's own collection may have come first: only the cache is left then.
    await expect(failed.output).toContainText(
      /3\.0 GiB (?:freed|of unused cache went back)/
    );
  });

  test('should do what waited, and say so, when it is out of view by then @sample', async ({
    open,
    page
  }) => {
    const notebook = await open();
    await notebook.run(START);
    const failed = await fail(notebook);
    const before = await failed.heard();
    const busy = await notebook.start('input()');
    await expect.poll(() => failed.heard()).toBeGreaterThan(before + 2);
    await failed.button('Free now').click();
    await expect(failed.output).toContainText(
      'Starts when the running cell finishes'
    );
    await page.evaluate(() => {
      window.scrollTo(0, document.body.scrollHeight);
    });
    await expect(failed.element).not.toBeInViewport();
    await notebook.answer('');
    await busy.ended();
    await expect(failed.output).toContainText('1.0 GiB freed');
    const asked = await sentBy(notebook, failed.name);
    await notebook.run('1 + 1');
    expect(await sentBy(notebook, failed.name)).toBe(asked);
  });
});

test.describe('A gauge', () => {
  test('should call a GPU simulated before its first use @sample', async ({
    open
  }) => {
    const notebook = await open();
    await notebook.run(START.replace(/\n\nbegun.*/, ''));
    const gauge = await notebook.run(SHOW);
    await expect(gauge.live).toContainText('Simulated GPU 0 · updated');
    expect(await gauge.html()).toContain('simulated GPU 0');
    expect(await faultsOf(gauge)).toEqual([]);
    const line = await notebook.run('gpu_headroom.show(compact=True)');
    await line.look();
    await expect(line.live).toContainText('Simulated GPU 0 · updated');
  });

  test('should follow the later cells of a run of all @sample', async ({
    open
  }) => {
    const notebook = await open();
    await notebook.run(START);
    const all = [
      await notebook.start(SHOW),
      await notebook.start('import time\ntime.sleep(3)'),
      await notebook.start(`${HOLD}\n${WAIT}`)
    ];
    const [gauge, , busy] = all as [Cell, Cell, Cell];
    await gauge.ended();
    await gauge.look();
    await expect(gauge.output).toContainText('Headroom: 2.7 GiB');
    expect(await busy.runs()).toBe(true);
    await notebook.interrupt();
    await busy.ended();
    await notebook.runAfterError('del held');
    await expect(gauge.output).toContainText('Headroom: 3.7 GiB');
  });

  test('should leave the kernel alone where it is shown twice @sample', async ({
    open
  }) => {
    const notebook = await open();
    await notebook.run(START);
    const gauge = await notebook.run(TWICE);
    await gauge.look();
    await expect(gauge.live).toHaveCount(2);
    const before = await sentBy(notebook, gauge.name);
    // Time enough for three polls of each, or for hundreds of channels: that none come, no event tells.
    await gauge.page.waitForTimeout(6000);
    expect((await sentBy(notebook, gauge.name)) - before).toBeLessThan(12);
    await notebook.run(HOLD);
    for (const each of await gauge.live.all()) {
      await expect(each).toContainText('Headroom: 2.7 GiB');
    }
  });
});
