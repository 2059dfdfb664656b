"""Hold dry runs to PyTorch's own allocator: writes a table of `dry_run.md`.

`python -m benchmarks.dry_run` makes a notebook of each program that `make fidelity` plays over the
stub of the CUDA runtime and that comes to its end there, has the command run it as a person would,
and puts its peak beside the one that PyTorch's own allocator had (`fidelity/results.json`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.dry_runs.notebooks import write

from benchmarks.fidelity import page
from benchmarks.fidelity.programs import FAMILIES
from benchmarks.measure import table
from scripts import marked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.fidelity.measured import Gpu
    from benchmarks.fidelity.programs.program import Program

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("dry_run.md")
BEGIN, END = "<!-- made by benchmarks/dry_run.py -->\n", "<!-- end -->\n"
GPUS = ("RTX 3060 12GB", "T4", "L4", "A100 40GB")
_FAMILIES = ("Models", "Libraries")
_HEAD = ("program", "needed", "PyTorch's own allocator", "fits", "time")
_MIB = 2**20


class Row(NamedTuple):
    """A program, its real peak, and what the command found."""

    program: Program
    real: Gpu
    found: dict[str, Any]

    @property
    def peak_bytes(self) -> int:
        """The peak in use of the dry run, without the driver's context."""
        peak = self.found["peak"]
        return 0 if peak is None else int(peak["allocated_bytes"])

    @property
    def difference(self) -> float:
        """How far that is from the real one."""
        return self.peak_bytes / self.real.peak_in_use - 1


def rows() -> Iterator[Row]:
    """Run each program dry; what it imports lies beside the notebook's folder."""
    measured = page.read()["programs"]
    for family in FAMILIES:
        for program in family.programs if family.title in _FAMILIES else ():
            real = measured[program.name].allocator
            if len(program.gpus) == 1 and not real.refusals and real.failure is None:
                row = Row(program, real.gpus[0], _run_dry(program))
                print(f"{program.name}: {row.difference:+.3%}", file=sys.stderr, flush=True)
                yield row


def _run_dry(program: Program) -> dict[str, Any]:
    """Run a program dry, and return what was found."""
    cells = (
        "from benchmarks.fidelity.programs import PROGRAMS",
        f"PROGRAMS[{program.name!r}].function()",
    )
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder, "program.ipynb"), *cells)
        options = ("--json", "--no-tries", *(part for gpu in GPUS for part in ("--gpu", gpu)))
        command = [sys.executable, "-m", "gpu_headroom", "dry-run", str(path), *options]
        paths = f"{ROOT / 'python_helper'}:{ROOT}"
        env = {**os.environ, "PYTHONPATH": paths, "HF_HUB_OFFLINE": "1"}
        process = subprocess.run(command, env=env, capture_output=True, check=False)
    result: dict[str, Any] = json.loads(process.stdout)
    return result


def section(results: list[Row]) -> str:
    """Return the table, with a sentence of how near the peaks are."""
    equal = sum(row.peak_bytes == row.real.peak_in_use for row in results)
    near = sum(abs(row.difference) <= 0.02 for row in results)
    today = datetime.now(tz=timezone.utc).date().isoformat()
    head = (
        f"{today}: of {len(results)} programs {equal} need the same to the byte, {near} are within "
        "2 %. *Needed* is the peak in use without the driver's context; *time* is that of the "
        "whole command, on two cores."
    )
    lines = []
    for row in results:
        real = "equal" if row.peak_bytes == row.real.peak_in_use else f"{row.difference:+.2%}"
        fits = [fit["gpu"] for fit in row.found["fits"] if fit["fits"]]
        needed = f"{row.peak_bytes / _MIB:,.1f} MiB"
        where = "all four" if len(fits) == len(GPUS) else ", ".join(fits) or "none"
        duration = f"{row.found['took_s']:.0f} s"
        lines.append([row.program.title, needed, real, where, duration])
    return f"{head}\n\n{table(_HEAD, lines)}"


def main() -> None:
    """Renew the page."""
    content = f"{section(list(rows()))}\n"
    text = marked.renewed(PAGE.read_text(encoding="utf-8"), BEGIN, END, content)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
