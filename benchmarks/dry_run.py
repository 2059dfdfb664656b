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
from scripts import marked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.fidelity.measured import Card
    from benchmarks.fidelity.programs.program import Program

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("dry_run.md")
BEGIN, END = "<!-- made by benchmarks/dry_run.py -->\n", "<!-- end -->\n"
GPUS = ("RTX 3060 12GB", "T4", "L4", "A100 40GB")
_FAMILIES = ("Models", "Libraries")
_HEAD = ("program", "needed", "PyTorch's own allocator", "Accelerate", "fits", "time", "host")
_MIB = 2**20
# The model is the largest module that is called. The number travels in the error of a cell.
_ESTIMATE = """
import torch
from accelerate.commands.estimate import estimate_training_usage
from accelerate.utils import calculate_maximum_sizes

def _called(module, _):
    if module not in _sizes:
        _sizes[module] = calculate_maximum_sizes(module)[0]

_sizes = {None: 0}
torch.nn.modules.module.register_module_forward_pre_hook(_called)
"""
_TELL = "raise RuntimeError(max(estimate_training_usage(max(_sizes.values()), 'float32').values()))"


class Row(NamedTuple):
    """A program, its real peak, what the command found, and what `estimate-memory` would say.

    `host_bytes` is the most that a process of the command had in memory.
    """

    program: Program
    real: Card
    found: dict[str, Any]
    host_bytes: int
    estimate_bytes: int

    @property
    def peak_bytes(self) -> int:
        """The peak in use of the dry run, without the driver's context."""
        return max((peak["allocated_bytes"] for peak in self.found["peaks"]), default=0)

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
            if len(program.cards) == 1 and not real.refusals and real.failure is None:
                row = Row(program, real.cards[0], *_found(_run(program)), _estimate(program))
                print(f"{program.name}: {row.difference:+.3%}", file=sys.stderr, flush=True)
                yield row


def _run(program: Program) -> list[str]:
    return [
        "from benchmarks.fidelity.programs import PROGRAMS",
        f"PROGRAMS[{program.name!r}].function()",
    ]


def _estimate(program: Program) -> int:
    """Return what Accelerate's `estimate-memory` multiplies of the model: it asks for no batch."""
    found, _ = _found([_ESTIMATE, *_run(program), _TELL])
    return int(found["error"].rpartition(" ")[2])


def _found(cells: list[str]) -> tuple[dict[str, Any], int]:
    """Run cells dry, and return what was found and the host memory that it took."""
    with tempfile.TemporaryDirectory() as folder:
        path, answer = write(Path(folder, "program.ipynb"), *cells), Path(folder, "answer.json")
        options = ("--json", "--no-tries", *(part for gpu in GPUS for part in ("--gpu", gpu)))
        command = [sys.executable, "-m", "gpu_headroom", "dry-run", str(path), *options]
        paths = f"{ROOT / 'python_helper'}:{ROOT}"
        env = {**os.environ, "PYTHONPATH": paths, "HF_HUB_OFFLINE": "1"}
        with answer.open("wb") as out:
            process = subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.DEVNULL)
            *_, used = os.wait4(process.pid, 0)
        found: dict[str, Any] = json.loads(answer.read_bytes())
    return found, used.ru_maxrss * 1024


def told(found: list[Row]) -> str:
    """Return the table, with a sentence of how near the peaks are."""
    equal = sum(row.peak_bytes == row.real.peak_in_use for row in found)
    near = sum(abs(row.difference) <= 0.02 for row in found)
    today = datetime.now(tz=timezone.utc).date().isoformat()
    head = (
        f"{today}: of {len(found)} programs {equal} need the same to the byte, {near} are within "
        "2 %. *Needed* is the peak in use without the driver's context; *Accelerate* is what its "
        "`estimate-memory` says of the model: four times its weights, whatever the batch; *time* "
        "is that of the whole command, on two cores; *host* is the most memory that one of its "
        "processes had."
    )
    lines = [head, "", _line(_HEAD), _line(["---"] * len(_HEAD))]
    for row in found:
        real = "equal" if row.peak_bytes == row.real.peak_in_use else f"{row.difference:+.2%}"
        fits = [each["gpu"] for each in row.found["fits"] if each["fits"]]
        needed = f"{row.peak_bytes / _MIB:,.1f} MiB"
        where = "all four" if len(fits) == len(GPUS) else ", ".join(fits) or "none"
        estimate = f"{row.estimate_bytes / _MIB:,.1f} MiB"
        host = f"{row.host_bytes / _MIB:,.0f} MiB"
        took = f"{row.found['took_s']:.0f} s"
        lines.append(_line([row.program.title, needed, real, estimate, where, took, host]))
    return "\n".join(lines)


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Renew the page."""
    made = f"{told(list(rows()))}\n"
    text = marked.renewed(PAGE.read_text(encoding="utf-8"), BEGIN, END, made)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
