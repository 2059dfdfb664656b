import { test } from './application';
import { FAMILIES, notebookOf } from './cells';
import { report } from './latency';
import { longTasks } from './longtasks';
import { CLUSTER, FILL, fill, follow } from './thousand';

const SETTLED_MS = 5000;
const WATCHED_MS = 30_000;

test('a thousand workers in the panel: tasks that keep the page from drawing', async ({
  open,
  page
}) => {
  const notebook = await open(notebookOf([CLUSTER, FILL], FAMILIES));
  await follow(page, notebook);
  // Its beginning costs JupyterLab itself a long task.
  await page.waitForTimeout(SETTLED_MS);
  const without_ms = await longTasks(page, WATCHED_MS);
  await fill(page, notebook);
  await page.waitForTimeout(SETTLED_MS);
  report({
    tasks_ms: await longTasks(page, WATCHED_MS),
    without_ms,
    watched_ms: WATCHED_MS
  });
});
