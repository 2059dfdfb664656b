import type { Page } from '@playwright/test';

import { expect } from './application';
import type { Notebook } from './notebook';

/** A real scheduler without any worker. */
export const CLUSTER = `from distributed import Client, LocalCluster

client = Client(LocalCluster(n_workers=0, dashboard_address=None))`;

/** A thousand workers in its state, eight on a host, each with a GPU: the last is the fullest. */
export const FILL = `import time

from distributed.core import Status
from distributed.scheduler import WorkerState


def reading(number):
    in_use = 80 * number * 2**20
    gpu = {
        "index": number % 8, "uuid": f"GPU-{number:032d}", "name": "NVIDIA A100-SXM4-80GB",
        "simulated": False, "capacity_bytes": 80 * 2**30, "in_use_bytes": in_use,
        "cached_bytes": 2**29, "taken_bytes": in_use + 2**30,
    }
    return {"pid": 4000 + number, "host": f"node{number // 8}", "devices": [gpu]}


def fill(dask_scheduler):
    for callback in dask_scheduler.periodic_callbacks.values():
        callback.stop()  # they look for what workers say that are there
    for number in range(1000):
        address = f"tcp://10.0.{number // 250}.{number % 250}:4000"
        worker = WorkerState(
            address=address, status=Status.running, pid=4000 + number, name=number, nthreads=1,
            memory_limit=0, local_directory="", nanny=address, server_id=str(number),
        )
        worker.last_seen = time.time() + 3600  # nobody is there to be heard of
        worker.metrics = {"gpu_headroom": reading(number)}
        dask_scheduler.workers[address] = worker


client.run_on_scheduler(fill)`;

/** Follow the scheduler, with the panel in view; its cell is the first of the notebook. */
export async function follow(page: Page, notebook: Notebook): Promise<void> {
  await notebook.execute('gpu-headroom:show-panel');
  await notebook.run(0);
  const panel = page.locator('#gpu-headroom-panel');
  await panel.getByRole('button', { name: 'Measure all' }).click();
  await expect(
    panel.getByRole('button', { name: 'Stop measuring' })
  ).toBeVisible();
}

/** Have a thousand workers there, by the second cell of the notebook. */
export async function fill(page: Page, notebook: Notebook): Promise<void> {
  await notebook.run(1);
  await expect(page.locator('#gpu-headroom-panel')).toContainText(
    '1000 Dask workers: measured.'
  );
}
