"""`python -m gpu_headroom dry-run train.ipynb --gpu T4`: does it fit, before it runs on a card."""

from __future__ import annotations

import argparse
import json
import sys
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..dry_run import gpus, notebook
from ..dry_run.asks import asks
from ..dry_run.findings import find
from ..dry_run.process import Died, Limits, run
from ..text.messages import say
from .dry_run_words import TEXTS, asked, died, summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dry_run.findings import Findings
    from ..dry_run.gpus import Gpu
    from ..dry_run.job import Ended
    from ..dry_run.notebook import CodeCell

_FITS, _FITS_NOT, _NOT_KNOWN = 0, 1, 2
_GIB = 2**30


def dry_run(arguments: Sequence[str]) -> int:
    """Run a notebook on simulated GPUs, print what it needs, and return the exit code.

    0: it fits where `--fail-over` asks for it; 1: it does not; 2: that is not known, or the
    command is wrong.
    """
    given = _parser().parse_args(arguments)
    try:
        wanted = [gpus.find(each) for each in given.gpu or ()]
        limit = None if given.fail_over is None else gpus.find(given.fail_over)
    except ValueError as error:
        name = given.fail_over if given.gpu is None else ", ".join(given.gpu)
        return _refuse(say("dry_run.unknown_gpu", TEXTS, name=name, near=str(error)))
    try:
        cells = notebook.read(Path(given.notebook))
    except (OSError, ValueError) as error:
        return _refuse(say("dry_run.unreadable", TEXTS, path=given.notebook, error=str(error)))
    cells = [cell for cell in cells if int(cell.id.rpartition("-")[2]) not in given.leave_out]
    if not cells:
        return _refuse(say("dry_run.empty", TEXTS, path=given.notebook))
    if find_spec("torch") is None:
        return _refuse(say("dry_run.no_torch", TEXTS))
    found = asks(cells)
    if found and not given.run_all and not given.leave_out:
        return _refuse("\n".join(asked(found)))
    return _run(given, cells, [*wanted, *([limit] if limit else [])] or list(gpus.GPUS), limit)


def _run(given: Any, cells: list[CodeCell], wanted: list[Gpu], limit: Gpu | None) -> int:
    limits = Limits(int(given.memory * _GIB), given.time)
    folder = Path(given.notebook).resolve().parent
    began_s = time.monotonic()

    def once(**differs: Any) -> Ended:
        job: Any = {
            "cells": [(cell.id, cell.source) for cell in cells],
            "work": "",
            "scratch": "",
            "capacity_bytes": None,
            "devices": given.devices,
            "refuse_at": None,
            "steps": given.steps,
            "cell_s": given.cell_time,
            "commands": given.commands,
            "values": given.values,
            **differs,
        }
        return run(job, folder, limits, partial(_tell, is_shown=not given.json))

    try:
        found = find(
            once, list(dict.fromkeys(wanted)), tries=given.try_edits, largest=given.largest
        )
    except Died as death:
        return _refuse(died(death, limits.memory_bytes, limits.time_s))
    if given.json:
        said = json.dumps(_as_json(found, time.monotonic() - began_s))
    else:
        lines = summary(found, cells, given.steps, given.cell_time, values=given.values)
        said = "\n".join(lines)
    sys.stdout.write(f"{said}\n")
    if limit is None:
        return _FITS
    fits = next(each.fits for each in found.fits if each.gpu == limit)
    return _NOT_KNOWN if fits is None else _FITS if fits else _FITS_NOT


def _as_json(found: Findings, took_s: float) -> dict[str, Any]:
    """Return all numbers: simulated ones, in bytes."""
    return {
        "simulated": True,
        "took_s": round(took_s, 3),
        **{key: value for key, value in found.ended.items() if key not in {"report", "edits"}},
        "parts": [] if found.at_peak is None else found.at_peak["parts"],
        "fits": [
            {
                "gpu": each.gpu.name,
                "total_bytes": each.gpu.total_bytes,
                "fits": each.fits,
                "left_bytes": each.left_bytes,
            }
            for each in found.fits
        ],
        "tried_on": None if found.tried_on is None else found.tried_on.name,
        "tries": [
            {
                "remedy_id": each.edit["remedy_id"],
                "title": each.edit["title"],
                "number": each.edit["number"],
                "outcome": "died" if each.ended is None else each.ended["outcome"],
                "peaks": [] if each.ended is None else each.ended["peaks"],
            }
            for each in found.tries
        ],
    }


def _tell(cell_id: str, *, is_shown: bool) -> None:
    """Say on a terminal which cell runs, in a line that the next one takes the place of."""
    if is_shown and sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{cell_id}")
        sys.stderr.flush()


def _refuse(said: str) -> int:
    sys.stderr.write(f"{said}\n")
    return _NOT_KNOWN


def _numbers(text: str) -> set[int]:
    return {int(each) for each in text.split(",") if each.strip()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gpu_headroom dry-run",
        description="Run a notebook or a script on simulated GPUs: will it fit, and where?",
        epilog="Exit codes: 0 it fits, or nothing was asked; 1 it does not fit the GPU of "
        "--fail-over; 2 that is not known, or the command is wrong.",
    )
    add = parser.add_argument
    add("notebook", help="an .ipynb, or a .py, whose cells begin with `# %%%%`")
    add("--gpu", action="append", help="T4, A100 40GB, 24 GiB, ...; several times; all if none")
    add("--fail-over", metavar="GPU", help="exit with 1 where it does not fit this GPU")
    add("--devices", type=int, default=1, help="how many GPUs there are (1)")
    add("--json", action="store_true", help="print what was found as JSON, sizes in bytes")
    add("--steps", type=int, default=3, help="end a training after so many steps alike (3)")
    add("--cell-time", type=float, default=60.0, help="end a cell after so many seconds (60)")
    add("--time", type=float, default=600.0, help="give a run so many seconds (600)")
    add("--memory", type=float, default=8.0, help="give a run so much host memory, in GiB (8)")
    add("--run-all", action="store_true", help="run cells that do more than compute, too")
    add("--leave-out", type=_numbers, default=set(), help="leave out these cells: 1,3")
    add("--commands", action="store_true", help="run `!` and `%%pip` as well")
    add("--largest", action="store_true", help="look for the largest batch that fits, too")
    add("--values", action="store_true", help="compute values too, on this machine's processor")
    add("--no-tries", dest="try_edits", action="store_false", help="do not try the edits")
    return parser
