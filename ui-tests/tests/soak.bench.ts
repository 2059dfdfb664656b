import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from './application';
import { Burden } from './burden';
import { HOLD, LIGHT, notebookOf, ROOMY, SIMULATE } from './cells';
import { Notebook } from './notebook';
import { setHidden } from './traffic';

const MINUTES = Number(process.env.GPU_HEADROOM_MINUTES ?? 30);
const NOTEBOOKS = Number(process.env.GPU_HEADROOM_NOTEBOOKS ?? 50);

/** Every so many notebooks one holds memory on a simulated GPU; the others are light. */
const ONE_IN = 12;

const MOST_RESTARTS = 200;
const RESTARTS = 4;
const SHOWN = 5;
const CELLS = 1000;

/** A whole minute: most kernels are asked once in one. */
const REST_MS = 60_000;

const HEAVY = notebookOf([SIMULATE, HOLD]);

/** Each of its cells keeps enough for a badge. */
const LONG = notebookOf([
  ROOMY,
  'import torch\n\nparts = []',
  ...Array.from(
    { length: CELLS - 2 },
    () => 'parts.append(torch.empty(2**24, dtype=torch.uint8, device="cuda"))'
  )
]);

const BUSY = notebookOf([
  SIMULATE,
  HOLD,
  'import time\n\nfor second in range(100):\n    time.sleep(0.1)'
]);

test('a day of many notebooks', async ({ baseURL, page, server, write }) => {
  test.setTimeout((MINUTES + 20) * 60_000);
  const burden = await Burden.of(page, path.join(server.home, 'runtime'));
  await page.goto(`${baseURL}/lab`);
  await page.waitForFunction(() => 'jupyterapp' in window);

  const notebooks: Notebook[] = [];
  const add = async (
    name: string,
    content: ReturnType<typeof notebookOf>
  ): Promise<Notebook> => Notebook.show(page, await write(name, content));

  for (let number = 1; number < NOTEBOOKS; number++) {
    const content = number % ONE_IN === 0 ? HEAVY : LIGHT;
    const notebook = await add(`notebook-${number}.ipynb`, content);
    await notebook.runUpTo(1);
    notebooks.push(notebook);
  }
  const long = await add('long.ipynb', LONG);
  await long.execute('notebook:run-all-cells');

  // A page beside it, which is loaded again and again while a cell runs.
  const busyPath = await write('busy.ipynb', BUSY);
  const other = await page.context().newPage();
  const busy = new Notebook(other, busyPath);
  await other.goto(`${baseURL}/lab/workspaces/soak/tree/${busyPath}`);
  await busy.waitUntilOpen();
  await busy.runUpTo(1);

  // What is drawn when it is seen first is there before anything is measured.
  for (const notebook of [...notebooks, long]) {
    await Notebook.show(page, notebook.path);
  }
  await long.scroll();

  const done = { restarts: 0, reloads: 0, scrolls: 0, hides: 0, shows: 0 };
  const rounds = [];
  const end = Date.now() + MINUTES * 60_000;
  let next = 0;
  while (Date.now() < end) {
    for (let shown = 0; shown < SHOWN; shown++) {
      const notebook = notebooks[next++ % notebooks.length];
      if (!notebook) {
        continue;
      }
      await Notebook.show(page, notebook.path);
      if (shown < RESTARTS && done.restarts < MOST_RESTARTS) {
        await notebook.restart();
        done.restarts++;
      }
      await notebook.runUpTo(1);
      done.shows++;
    }

    await busy.start(2);
    await other.reload();
    await busy.waitUntilOpen(true);
    await busy.execute('notebook:interrupt-kernel');
    await busy.waitUntilIdle();
    done.reloads++;

    await Notebook.show(page, long.path);
    await long.scroll();
    done.scrolls++;

    await setHidden(page, true);
    await page.waitForTimeout(2000);
    await setHidden(page, false);
    done.hides++;

    rounds.push(await burden.measure(REST_MS));
  }
  expect(rounds.length).toBeGreaterThan(0);
  writeFileSync(
    process.env.GPU_HEADROOM_SOAK ?? '/dev/stdout',
    JSON.stringify({
      notebooks: NOTEBOOKS,
      heavy: Math.floor((NOTEBOOKS - 1) / ONE_IN),
      minutes: MINUTES,
      rest_s: REST_MS / 1000,
      done,
      rounds
    })
  );
});
