"""`python -m gpu_headroom dry-run train.ipynb --gpu T4`: does it fit, before it runs on a GPU."""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_headroom.text.messages import say

from . import engine, gpus, notebook, words
from .console import TEXTS, asked, summary
from .job import ordered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .findings import Findings
    from .job import DryRunOrder, DryRunStep
    from .notebook import CodeCell

_FITS, _FITS_NOT, _NOT_KNOWN = 0, 1, 2
_GIB = 2**30


def dry_run(arguments: Sequence[str]) -> int:
    """Run a notebook on simulated GPUs, print what it needs, and return the exit code.

    0: it fits where `--fail-over` asks for it; 1: it does not; 2: not known, or a wrong command.
    """
    own, passed = _split(arguments)
    given = _parser().parse_args(own)
    path = Path(given.notebook)
    try:
        wanted = [gpus.find(text) for text in given.gpu or ()]
        limit = None if given.fail_over is None else gpus.find(given.fail_over)
    except ValueError as error:
        name = given.fail_over if given.gpu is None else ", ".join(given.gpu)
        return _refuse(say("dry_run.unknown_gpu", words.TEXTS, name=name, near=str(error)))
    try:
        cells = notebook.read(path)
    except (OSError, ValueError) as error:
        return _refuse(say("dry_run.unreadable", TEXTS, path=given.notebook, error=str(error)))
    cells = [cell for cell in cells if notebook.number_of(cell) not in given.leave_out]
    if not cells:
        return _refuse(say("dry_run.empty", TEXTS, path=given.notebook))
    if find_spec("torch") is None:
        return _refuse(say("dry_run.no_torch", words.TEXTS))
    wanted = [*wanted, *([limit] if limit else [])] or list(gpus.GPUS)
    order = ordered(
        cells,
        str(path.resolve().parent),
        argv=[path.name if path.suffix == ".py" else "", *passed],
        gpus=list(dict.fromkeys(wanted)),
        tries=given.try_edits,
        largest=given.largest,
        largest_on_each=given.largest,
        agreed=given.run_all or bool(given.leave_out),
        unheld=given.without_sandbox,
        steps=given.steps,
        cell_s=given.cell_time,
        network=given.network,
        values_to=_last_with_values(cells, given.values_to, all_cells=given.values),
        fake_data=given.fake_data,
        memory_bytes=int(given.memory * _GIB),
        time_s=given.time,
    )
    return _run(order, None if limit is None else limit.name, is_json=given.json)


def _run(order: DryRunOrder, limit: str | None, *, is_json: bool) -> int:
    began_s = time.monotonic()
    steps: list[DryRunStep] = []

    def hear(step: DryRunStep) -> None:
        steps[:] = [step]
        if step["status"] == "running" and step["message"] and not is_json:
            _tell(step["message"]["text"])

    findings = engine.dry_run(order, hear)
    step = steps[-1]
    if findings is None:
        return _refuse("\n".join(asked(step, order)))
    answer = engine.found_of(findings, order)
    if is_json:
        output = json.dumps({**answer, **_besides(findings), "took_s": time.monotonic() - began_s})
    else:
        output = "\n".join(summary(answer))
    sys.stdout.write(f"{output}\n")
    if step["status"] == "failed":
        _refuse(_said(step))
    if limit is None:
        return _NOT_KNOWN if step["status"] == "failed" else _FITS
    fits = next(fit.fits for fit in findings.fits if fit.gpu.name == limit)
    return _NOT_KNOWN if fits is None else _FITS if fits else _FITS_NOT


def _said(step: DryRunStep) -> str:
    return step["message"]["text"] if step["message"] else ""


def _besides(found: Findings) -> dict[str, Any]:
    """Return how the run ended, for those who read it by program."""
    hidden = {"report", "edits"}
    return {key: value for key, value in found.ended.items() if key not in hidden}


def _tell(said: str) -> None:
    """Show the progress on a terminal, in a line that the next one replaces."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{said}")
        sys.stderr.flush()


def _refuse(said: str) -> int:
    sys.stderr.write(f"{said}\n")
    return _NOT_KNOWN


def _split(arguments: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return what is for this command, and behind a `--` what is for the script."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:end], arguments[end + 1 :]


def _last_with_values(cells: Sequence[CodeCell], number: int, *, all_cells: bool) -> str | None:
    """Return the id of the last cell that runs with values; `None`: none does."""
    before = [cell.id for cell in cells if all_cells or notebook.number_of(cell) <= number]
    return before[-1] if before else None


def _numbers(text: str) -> set[int]:
    return {int(part) for part in text.split(",") if part.strip()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gpu_headroom dry-run",
        description="Run a notebook or a script on simulated GPUs: will it fit, and where?",
        epilog="Exit codes: 0 it fits, or nothing was asked; 1 it does not fit the GPU of "
        "--fail-over; 2 that is not known, or the command is wrong.",
    )
    add = parser.add_argument
    add(
        "notebook",
        help="an .ipynb, or a .py, whose cells begin with `# %%%%`; its arguments last, behind --",
    )
    add("--gpu", action="append", help="T4, A100 40GB, 24 GiB, ...; several times; all if none")
    add("--fail-over", metavar="GPU", help="exit with 1 where it does not fit this GPU")
    add("--json", action="store_true", help="print what was found as JSON, sizes in bytes")
    add("--steps", type=int, default=3, help="end a training after so many steps alike (3)")
    add("--cell-time", type=float, default=60.0, help="end a cell after so many seconds (60)")
    add("--time", type=float, default=600.0, help="give a run so many seconds (600)")
    add("--memory", type=float, default=8.0, help="give a run so much host memory, in GiB (8)")
    add("--run-all", action="store_true", help="run cells that do more than compute, too")
    add("--without-sandbox", action="store_true", help="run it where nothing holds it, as it says")
    add("--leave-out", type=_numbers, default=set(), help="leave out these cells: 1,3")
    add("--network", action="store_true", help="let it reach other machines, for downloads")
    add("--largest", action="store_true", help="look for the largest batch that fits each GPU, too")
    add("--values", action="store_true", help="compute values too, on this machine's processor")
    add("--values-to", type=int, default=0, help="compute them up to this cell: 2")
    add("--fake-data", action="store_true", help="make up data sets and weights; no downloads")
    add("--no-tries", dest="try_edits", action="store_false", help="do not try the edits")
    return parser
