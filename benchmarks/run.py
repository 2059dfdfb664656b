"""Measure what the design promises, print it beside what was recorded, and record it.

`python -m benchmarks.run` measures everything; with names of sections only these, and the others
stay in `results.md` as they were recorded.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
import tempfile
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import (
    beside,
    cycles,
    failure,
    flow,
    gauge,
    holders,
    link,
    payload,
    peaks,
    peers,
    pixel,
    start,
    training,
)
from benchmarks.measure import table
from scripts import cuda, cuda_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.measure import Row

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("results.md")
PYTHON = Path(sys.executable)
HEAD = ("what", "goal", "measured", "holds")

TEXT = """# Benchmarks

Made by `make benchmarks`; do not edit. Measured on a **simulated GPU**: these numbers say what
GPU Headroom itself costs and how fast it is, not how fast a GPU or its driver is.

Where *PyTorch's own allocator* is named, an unchanged CUDA build runs over a stub of the runtime
(`make cuda`): no GPU is simulated, and kernels that compute nothing leave Python's share of a step.

Times are medians with the 95th percentile beside them; a goal is for the 95th percentile.
Where the noise of a run is larger than a goal, the column *holds* stays empty. Each section was
measured in one run, on the day that it names; `make benchmarks PARTS="gauge link"` measures some.

"""
SECTION = re.compile(r"^## (?P<title>.+)\n(?P<body>(?:(?!## ).*\n)*)", re.MULTILINE)


class Part(NamedTuple):
    """A section of the page: its title and what measures it, in a folder for its files."""

    title: str
    rows: Callable[[Path], Iterable[Row]]


def _cuda() -> cuda.Environment:
    """Return the newest environment for CUDA that `make cuda` has made."""
    builds = [cuda.Environment(ROOT / ".venvs", each) for each in reversed(cuda_table.VERSIONS)]
    return next((each for each in builds if each.is_there), builds[0])


PARTS = {
    "payload": Part("What is sent", lambda _: payload.rows()),
    "start": Part("The start of a page", lambda folder: start.rows(folder, payload.pack().sources)),
    "gauge": Part("Readings", lambda folder: gauge.rows(PYTHON, folder)),
    "link": Part("The first reading", lambda folder: link.rows(PYTHON, folder)),
    "pixel": Part("From an allocation to the pixel", pixel.rows),
    "flow": Part("A stream of readings", flow.rows),
    "failure": Part("The report", lambda folder: failure.rows(PYTHON, folder)),
    "surface": Part("Long reports", lambda folder: failure.surface_rows(PYTHON, folder)),
    "cycles": Part("Freeing", lambda folder: cycles.rows(PYTHON, folder)),
    "holders": Part("Who holds what", lambda folder: holders.rows(PYTHON, folder)),
    "peaks": Part("Peaks", lambda _: peaks.rows()),
    "training": Part("Being watched", lambda folder: training.rows(_cuda(), folder)),
    "dry_run": Part("Dry runs", lambda folder: beside.rows(PYTHON, folder)),
    "peers": Part("Beside others", lambda folder: peers.rows(_cuda(), folder)),
}


def system() -> str:
    """Describe what was measured on, without naming the machine."""
    versions = ", ".join(
        f"{name} {metadata.version(name)}" for name in ("torch", "ipykernel", "ipython")
    )
    python = platform.python_version()
    return f"{os.cpu_count()} cores, {platform.system()}, Python {python}, {versions}."


def recorded() -> dict[str, str]:
    """Return the sections of the page as they stand, by their titles."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return {match["title"]: match["body"].strip() for match in SECTION.finditer(text)}


def figures(section: str) -> dict[str, str]:
    """Return what a section says was measured, by what it was."""
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:1] == "|"]
    return {row[0]: row[2] for row in rows if len(row) > 2}


def measure(part: Part, folder: Path, before: str) -> str:
    """Measure a part, print each row beside what was recorded, and return its section."""
    records = figures(before)
    rows = []
    print(f"\n{part.title}", flush=True)
    for row in part.rows(folder):
        print(" · ".join(filter(None, row.cells)), flush=True)
        if records.get(row.what, row.measured) != row.measured:
            print(f"    recorded: {records[row.what]}", flush=True)
        rows.append(row)
    day = datetime.now(tz=timezone.utc).date().isoformat()
    return f"{day}, {system()}\n\n{table(HEAD, [row.cells for row in rows])}"


def main() -> None:
    """Measure what is asked for; all of it takes an hour and a half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    names = parser.parse_args().parts
    unknown = sorted({*names} - {*PARTS})
    if unknown:
        parser.error(f"{', '.join(unknown)}: there is {', '.join(PARTS)}")
    for name in names or PARTS:
        part = PARTS[name]
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            sections = recorded()
            sections[part.title] = measure(part, Path(folder), sections.get(part.title, ""))
        titles = [entry.title for entry in PARTS.values() if entry.title in sections]
        text = "\n\n".join(f"## {title}\n\n{sections[title]}" for title in titles)
        # Section by section: what was measured is kept where a later part fails.
        PAGE.write_text(f"{TEXT}{text}\n", encoding="utf-8")
    print(f"\nMeasured on a simulated GPU. Written to {PAGE.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
