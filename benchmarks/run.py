"""Measure what the design promises, print it, and write `docs/benchmarks.md`."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import (
    cycles,
    failure,
    flow,
    gauge,
    growth,
    holders,
    link,
    payload,
    peaks,
    pixel,
    start,
    training,
)
from scripts import cuda

if TYPE_CHECKING:
    from benchmarks.measure import Row

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = ("what", "goal", "measured", "holds")

TEXT = """# Benchmarks

Made by `make benchmarks`; do not edit. Measured on a **simulated GPU**: these numbers say what
GPU Headroom itself costs and how fast it is, not how fast a card or its driver is.

{system}

{table}

Where *PyTorch's own allocator* is named, an unchanged CUDA build runs over a stub of the runtime
(`make cuda`): no GPU is simulated, and kernels that compute nothing leave Python's share of a step.

Times are medians with the 95th percentile beside them; a goal is for the 95th percentile.
Where the noise of a run is larger than a goal, the column *holds* stays empty.
"""


def system() -> str:
    """Describe what was measured on, without naming the machine."""
    versions = ", ".join(
        f"{name} {metadata.version(name)}" for name in ("torch", "ipykernel", "ipython")
    )
    python = platform.python_version()
    return f"{os.cpu_count()} cores, {platform.system()}, Python {python}, {versions}."


def table(rows: list[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = [HEAD, ("---",) * len(HEAD), *(row.cells for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """Measure everything, a few minutes long."""
    python = Path(sys.executable)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for part in (
            payload.rows(),
            start.rows(Path(folder), payload.pack().sources),
            gauge.rows(python, Path(folder)),
            link.rows(python, Path(folder)),
            pixel.rows(Path(folder)),
            flow.rows(Path(folder)),
            failure.rows(python, Path(folder)),
            cycles.rows(python, Path(folder)),
            holders.rows(python, Path(folder)),
            growth.rows(python, Path(folder)),
            peaks.rows(),
            training.rows(cuda.Environment(ROOT / ".venvs", cuda.NEWEST), Path(folder)),
        ):
            for row in part:
                print(" · ".join(filter(None, row.cells)), flush=True)
                rows.append(row)
    PAGE.write_text(TEXT.format(system=system(), table=table(rows)), encoding="utf-8")
    print(f"\nMeasured on a simulated GPU. Written to {PAGE.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
