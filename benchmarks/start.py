"""What a page loads of ours at its start, and how much later it can be used, in a real Chromium."""

from __future__ import annotations

import gzip
import statistics
from typing import TYPE_CHECKING

from benchmarks.measure import Row
from benchmarks.pixel import ROOT, measured

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BYTES = "labextension that a page loads at its start, gzip"
GOAL_BYTES = 60_000
TIME = "page of JupyterLab → its notebook can be typed in, with us and without, in turn"


def rows(folder: Path, pack: str) -> Iterator[Row]:
    """Measure in the browser; the chunk that carries `pack` comes with a kernel without helper."""
    data = measured("start", folder)
    if data is None:
        yield Row(BYTES, f"≤ {GOAL_BYTES / 1000:g} kB", "not measured")
        return
    scripts = [ROOT / "labextension" / "static" / each for each in data["files"]]
    texts = [each.read_bytes() for each in scripts]
    size = sum(len(gzip.compress(each, 9)) for each in texts if pack.encode() not in each)
    yield Row(BYTES, f"≤ {GOAL_BYTES / 1000:g} kB", f"{size / 1000:.1f} kB", size <= GOAL_BYTES)
    ours, without = data["with"], data["without"]
    ratios = [ms / base_ms for ms, base_ms in zip(ours, without, strict=True)]
    middle = statistics.median(ratios)
    low, _, high = statistics.quantiles(ratios, n=4)
    yield Row(
        TIME,
        "",
        f"{statistics.median(ours):.0f} and {statistics.median(without):.0f} ms, "
        f"{middle:.2f} times as long (half of {len(ratios)} pairs within {low:.2f} to {high:.2f})",
    )
