"""Running out of memory, freeing and running again: whether anything adds up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cycles import growth
from tests.live import LiveKernel

from benchmarks.measure import Row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CYCLES = 200
SETTLE = 12
MIB = 2**20


def rows(python: Path, folder: Path) -> Iterator[Row]:
    """Measure what 200 cycles of failing, freeing and running again leave behind."""
    place = folder / "cycles"
    place.mkdir()
    with LiveKernel(python, place, installed=True, GPU_HEADROOM_SIMULATE="4GiB") as kernel:
        kernel.run("import gpu_headroom; gpu_headroom.start()", silent=True, store_history=False)
        kernel.attach()
        leaks = growth(kernel, CYCLES, SETTLE)
    what = f"{CYCLES} × out of memory → free → run again:"
    yield Row(
        f"{what} growth of GPU memory",
        "0",
        f"{leaks.in_use_bytes} bytes, {leaks.tensors} tensors, {leaks.errors} errors",
        (leaks.in_use_bytes, leaks.tensors, leaks.errors) == (0, 0, 0),
    )
    yield Row(
        f"{what} growth of the kernel's host memory, IPython's own included",
        "",
        f"{leaks.rss_bytes / MIB:.1f} MiB, {leaks.objects / CYCLES:.1f} objects per cycle",
    )
