"""Who holds what: how long the walk takes at a million Python objects, and what it explains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.holders.gpt2 import NOTEBOOK
from tests.live import LiveKernel

from benchmarks.measure import Row, times_row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TIMES = 20
SIMULATE = 'import gpu_headroom; gpu_headroom.simulate("24 GiB", compute="meta")'
MEASURE = f"""
def measure():
    import time
    from gpu_headroom.holders.account import take
    times, complete = [], 0
    for _ in range({TIMES}):
        before, session = time.perf_counter(), gpu_headroom.session.current()
        account = take(get_ipython(), session.sampler.measure(), session.turn())
        times.append(1000 * (time.perf_counter() - before))
        complete += account.complete
    device = account.devices[0]
    return times, complete, device.held_bytes / device.in_use_bytes
times, complete, share = measure()
"""
GARBAGE = "kept = [torch.empty(2**20, device='cuda')]; kept.append(kept); del kept"


def rows(python: Path, folder: Path) -> Iterator[Row]:
    """Measure with everything under a name, then with something that no name reaches."""
    with LiveKernel(python, folder, installed=True) as kernel:
        kernel.run(SIMULATE)
        kernel.run("gpu_headroom.start()")
        assert kernel.run(NOTEBOOK).status == "ok"
        assert kernel.run(MEASURE).status == "ok"
        objects = kernel.value("__import__('gc').get_objects().__len__()")
        what = f"who holds what, {objects / 1e6:.1f} million Python objects, GPT-2 and AdamW"
        yield times_row(what, kernel.value("times"), 250)
        share = 100 * kernel.value("share")
        yield Row(
            "… of what is in use, held by names", "≥ 99 %", f"{share:.2f} %", holds=share >= 99
        )
        yield Row("… walks that came to their end", "", f"{kernel.value('complete')} of {TIMES}")
        assert kernel.run(f"import gc; gc.disable()\n{GARBAGE}\n{MEASURE}").status == "ok"
        yield times_row("… the same with garbage on the GPU", kernel.value("times"), 250)
        yield Row("… walks that came to their end", "", f"{kernel.value('complete')} of {TIMES}")
