"""The loop of a bad day: a cell runs out of memory, it is freed, a smaller one runs."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.live import LiveKernel

FAIL = """def fill():
    chunks = []
    while True:
        chunks.append(torch.empty(512 * 2**20, dtype=torch.uint8, device="cuda"))
fill()
"""
FIT = """chunks = [torch.empty(512 * 2**20, dtype=torch.uint8, device="cuda") for _ in range(6)]
del chunks"""
# The helper remembers a few dozen reports, and no more: a smaller bound is reached sooner.
PREPARE = """import gc, json, os, types
import torch
import gpu_headroom.reports.store
gpu_headroom.reports.store._KEPT_REPORTS = 3
kept = torch.ones(2**20, device="cuda")

def count():
    gc.collect()
    kinds = [type(each) for each in gc.get_objects()]
    with open("/proc/self/statm") as pages:
        rss = int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return json.dumps([
        torch.cuda.memory_allocated(),
        rss,
        len(kinds),
        sum(issubclass(each, torch.Tensor) for each in kinds),
        sum(issubclass(each, (BaseException, types.TracebackType)) for each in kinds),
    ])
"""


@dataclass(frozen=True)
class Count:
    """What the kernel keeps after a collection: bytes on the GPU and the host, and objects."""

    in_use_bytes: int
    rss_bytes: int
    objects: int
    tensors: int
    errors: int

    def __sub__(self, earlier: Count) -> Count:
        """Return what was added since."""
        return Count(
            *(getattr(self, field.name) - getattr(earlier, field.name) for field in fields(self))
        )


def growth(kernel: LiveKernel, cycles: int, settle: int = 8) -> Count:
    """Return what `cycles` cycles add to a kernel whose GPU has 4 GiB.

    `settle` cycles go ahead: memories with a bound, ours and IPython's, are full after them.
    """
    assert kernel.run(PREPARE).status == "ok"
    for _ in range(settle):
        cycle(kernel)
    before = _count(kernel)
    for _ in range(cycles):
        cycle(kernel)
    return _count(kernel) - before


def cycle(kernel: LiveKernel) -> None:
    """Run out of memory, free, and run what could not have run before."""
    assert kernel.run(FAIL, cell_id="failing", stop_on_error=False).status == "error"
    event = kernel.free()
    assert event["freed_bytes"] >= 7 * 512 * 2**20, event
    assert kernel.run(FIT, cell_id="fitting").status == "ok"


def _count(kernel: LiveKernel) -> Count:
    return Count(*json.loads(kernel.value("count()")))
