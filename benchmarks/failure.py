"""From the error to the card, and what a release gives back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.live import LiveKernel

from benchmarks.measure import Row, times_row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FAILURES = 10
REPORT = "application/vnd.gpu-headroom.report+json"

MODEL = """
import gpu_headroom, time
gpu_headroom.simulate("4 GiB", compute="meta", outside="300 MiB")
import torch
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(40)]).cuda()
"""

FAIL = """
batch_size = 32768
def train():
    try:
        model(torch.randn(batch_size, 1024, device="cuda"))
    except torch.OutOfMemoryError:
        print(time.time())
        raise
train()
"""


def rows(python: Path, folder: Path) -> Iterator[Row]:
    """Measure failures of the demo's kind, with and without many objects in the kernel."""
    with LiveKernel(python, folder, installed=True) as kernel:
        kernel.run("import gpu_headroom; gpu_headroom.start()")
        kernel.attach()
        assert kernel.run(MODEL).status == "ok"
        kept = kernel.value("torch.cuda.memory_allocated()")
        yield times_row("error → card", [_card_ms(kernel) for _ in range(FAILURES)], 500)
        kernel.run("objects = [[each] for each in range(1_000_000)]")
        many = [_card_ms(kernel) for _ in range(FAILURES)]
        yield times_row("error → card, a million Python objects", many)
        held = kernel.value("torch.cuda.memory_allocated()") - kept
        since = kernel.now
        kernel.ask("release", items=None, report_id=None)
        released = kernel.await_event("released", since)
        left = kernel.value("torch.cuda.memory_allocated()") - kept
        share = 100 * (held - left) / held
        yield Row(
            "recovered after an error, of what a restart would recover",
            "≥ 99 %",
            f"{share:.1f} % of {held / 2**30:.1f} GiB ({released['status']})",
            share >= 99,
        )


def _card_ms(kernel: LiveKernel) -> float:
    """Return the time from the error in the cell to the card at the page."""
    since = kernel.now
    request = kernel.submit(FAIL, cell_id="failing")
    kernel.until(
        lambda: any(
            REPORT in each["content"].get("data", {})
            for each in kernel.messages(since)
            if each["msg_type"] == "display_data"
        )
    )
    arrived = time.time()
    run = kernel.result(request)
    return 1000 * (arrived - float(run.text))
