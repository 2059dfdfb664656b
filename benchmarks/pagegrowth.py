"""How what a page spends on us grows with notebooks, cells, pages and causes, in Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.growth import growth_row
from benchmarks.measure import Row
from benchmarks.pixel import measured

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Our functions and what they call, by DevTools' profiler, is what a page spends on us.
GROWTHS = {
    "readings": ("a reading drawn at 10 Hz in gauge and popup, by notebooks of the page", " ms"),
    "runs": ("the run of a cell, by cells of its notebook", " ms"),
    "cards": ("a card that is drawn, by its causes", " ms"),
    "requests": ("requests a minute at rest, by notebooks of the page", ""),
    "requests_by_pages": ("requests a minute at rest, by pages on one kernel", ""),
}


def rows(folder: Path) -> Iterator[Row]:
    """Measure each growth in a page; how it grows in eight hours `flow.py` tells."""
    found = measured("growth", folder)
    for name, (what, unit) in GROWTHS.items():
        if found is None:
            yield Row(f"growth of {what}", "", "not measured")
        else:
            sizes, figures = zip(*found[name], strict=True)
            yield growth_row(what, sizes, figures, unit)
