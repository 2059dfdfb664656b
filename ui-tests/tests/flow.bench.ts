import path from 'node:path';

import { expect, test } from './application';
import { Burden } from './burden';
import { allocateFor, notebookOf, ROOMY } from './cells';
import { report } from './latency';
import { longTasks } from './longtasks';
import { gauge, popup } from './surfaces';

const HOURS = 8;

/** Ends long after the seconds that are watched. */
const BUSY_S = 60;
const WATCHED_MS = 30_000;

/** Puts the clock of all that is sent ahead, where there is a helper. */
const CLOCK = `import gpu_headroom.session

session = gpu_headroom.session.current()
ahead_s = 0.0
hours = 0


def shifted(event, send=session and session.channel.send):
    times = {name: event[name] for name in ("time_s", "start_s", "end_s") if event.get(name)}
    send({**event, **{name: time_s + ahead_s for name, time_s in times.items()}})


if session:
    session.channel.send = shifted`;

/** An hour of readings, two a second, as fast as a server passes them on. */
const HOUR = `for second in range(3600 * 2):
    ahead_s += 0.5
    held = torch.empty(random.randrange(2**20, 2**31), dtype=torch.uint8, device="cuda")
    if session:
        session.send(session.sample())
    time.sleep(0.002)
hours += 1`;

test('the flow of readings: tasks at 10 Hz, and eight hours of them', async ({
  open,
  page,
  server
}) => {
  test.setTimeout(1_800_000);
  const isDisabled = Boolean(process.env.GPU_HEADROOM_IS_DISABLED);
  const burden = await Burden.of(page, path.join(server.home, 'runtime'));
  const notebook = await open(
    notebookOf([
      ROOMY,
      allocateFor(BUSY_S),
      CLOCK,
      ...Array<string>(HOURS).fill(HOUR)
    ])
  );
  await notebook.run(0);
  if (!isDisabled) {
    await notebook.execute('gpu-headroom:show-panel');
    await expect(gauge(page)).toBeVisible();
    await gauge(page).click();
    await expect(popup(page)).toBeVisible();
  }
  await notebook.start(1);
  // Its beginning costs JupyterLab itself a long task.
  await page.waitForTimeout(3000);
  const tasks_ms = await longTasks(page, WATCHED_MS);
  await notebook.waitUntilIdle();

  await notebook.run(2);
  const heap_bytes: number[] = [];
  for (let hour = 0; hour < HOURS; hour++) {
    await notebook.run(3 + hour);
    heap_bytes.push((await burden.measure(1000)).heap);
  }
  expect(await notebook.value<number>('hours')).toBe(HOURS);
  report({ tasks_ms, watched_ms: WATCHED_MS, heap_bytes });
});
