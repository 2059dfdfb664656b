"""What a stream of readings costs a page: tasks too long to draw in between, and its heap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.measure import Row
from benchmarks.pixel import measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

TASKS = "tasks over 50 ms, readings drawn at 10 Hz in gauge, popup and panel"
HEAP = "JavaScript's heap over eight hours of readings at 2 Hz, sent in minutes"
FLAT = 0.05
"""What garbage and compiled code come and go by, as a share of the heap."""


def rows(folder: Path) -> Iterator[Row]:
    """Measure with us and without: JupyterLab has long tasks and a growing heap of its own."""
    ours = measured("flow", folder)
    without = measured("flow", folder, GPU_HEADROOM_IS_DISABLED="1")
    if ours is None or without is None:
        yield Row(TASKS, "0", "not measured")
        yield Row(HEAP, "flat", "not measured")
        return
    count, usual = len(ours["tasks_ms"]), len(without["tasks_ms"])
    seconds = ours["watched_ms"] / 1000
    text = f"{count} in {seconds:.0f} s (without us {usual})"
    yield Row(TASKS, "0", text, count <= usual)
    heap, base_heap = ours["heap_bytes"], without["heap_bytes"]
    growth = _growth(heap) - _growth(base_heap)
    yield Row(
        HEAP,
        "flat",
        f"{_mebibytes(heap)} MiB after each hour (without us {_mebibytes(base_heap)})",
        growth <= FLAT * heap[0],
    )


def _growth(heap: Sequence[float]) -> float:
    return heap[-1] - heap[0]


def _mebibytes(heap: Sequence[float]) -> str:
    return ", ".join(f"{size / 2**20:.1f}" for size in heap)
