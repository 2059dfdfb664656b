import type { Locator } from '@playwright/test';

import { expect, test } from './application';
import { notebookOf, SIMULATE } from './cells';
import { reportIn, gauge, popup, toast } from './surfaces';

/** Notes whatever asks PyTorch's C++ side for something of the GPU. */
const WATCH = `import torch

kept = torch.empty(2**28, dtype=torch.uint8, device="cuda")
touched = []


def watch(name, original):
    def watched(*args, **kwargs):
        touched.append(name)
        return original(*args, **kwargs)

    return watched


for name in dir(torch._C):
    if name.startswith("_cuda_") and name != "_cuda_isInBadFork":
        setattr(torch._C, name, watch(name, getattr(torch._C, name)))`;

/** Raises as native code does; no GPU here can really stop. */
const STOP = `import ctypes

error = torch.AcceleratorError("CUDA error: device-side assert triggered")
ctypes.pythonapi.PyErr_SetObject(
    ctypes.py_object(type(error)), ctypes.py_object(error)
)`;

/** A cell that only quotes such an error. */
const QUOTE = 'raise RuntimeError("CUDA error: device-side assert triggered")';

const STOPPED =
  'CUDA has stopped in this kernel: nothing on the GPU can be measured or freed any more. Only a restart helps.';

/** What offers to do something about it. */
function offers(place: Locator): Locator {
  return place.getByRole('button', { name: /^(Free|Release|Restart|Undo)/ });
}

test.describe('A kernel whose CUDA has stopped', () => {
  test('should be left alone by everything, and restarted from the report', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, WATCH, STOP, QUOTE]));
    await notebook.runUpTo(1);
    await notebook.run(3);
    await expect(gauge(page)).toContainText('Simulated GPU 0.5 / 4.0 GiB');
    await expect
      .poll(() => notebook.value<number>('len(touched)'))
      .toBeGreaterThan(0);

    await notebook.run(2);
    const failure = reportIn(notebook.cell(2));
    await expect(failure.getByRole('heading').first()).toHaveText(
      'CUDA has stopped in this kernel — only a restart helps'
    );
    await expect(reportIn(notebook.cell(3))).toHaveCount(0);
    await expect(failure).toContainText('device-side assert triggered');
    await expect(offers(failure)).toHaveText(['Restart kernel…']);
    await expect(gauge(page)).toContainText('GPU — restart needed');
    await notebook.value('touched.clear()');

    await gauge(page).click();
    await expect(popup(page)).toContainText(STOPPED);
    await expect(offers(popup(page))).toHaveText(['Restart kernel…']);
    await page.keyboard.press('Escape');

    await notebook.execute('gpu-headroom:show-panel');
    const panel = page.locator('#gpu-headroom-panel');
    await expect(panel).toContainText(STOPPED);
    await notebook.execute('gpu-headroom:release-memory');
    await expect(toast(page, /CUDA/)).toContainText(STOPPED);
    expect(await notebook.value<string[]>('touched')).toEqual([]);

    await offers(failure).click();
    await page
      .locator('.jp-Dialog')
      .getByRole('button', { name: 'Confirm Kernel Restart' })
      .click();
    await expect(gauge(page)).toContainText('GPU idle');
    await expect(offers(failure)).toHaveCount(0);
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText('Simulated GPU 0.5 / 4.0 GiB');
  });
});
