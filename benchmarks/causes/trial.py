"""One notebook in a fresh kernel on the simulated GPU, cell by cell, to its failure."""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from benchmarks.causes.notebook import cell_id, changed
from benchmarks.recovery.methods import start_helper

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.live import Run

    from benchmarks.causes.notebook import SeededNotebook
    from benchmarks.causes.sources import Sources
    from benchmarks.recovery.kernels import Notebook

REPORT = "application/vnd.gpu-headroom.report+json"
# What the report frees before a cell runs again.
OF_THE_FAILED_CELL = ["traceback", "garbage", "cache"]
_PATIENCE_S = 180.0
_COMPLETE_S = 5.0
_INSTALLED = "site-packages"
_ADD_INSTALLED = f"""
import os, sys
sys.path.append(os.path.join(os.path.dirname(os.getcwd()), {_INSTALLED!r}))
del os, sys
"""
_SIMULATE = """
import gpu_headroom
gpu_headroom.simulate({card!r}, compute="meta", outside={outside!r})
del gpu_headroom
"""
# The wheel of torchvision at hand may be one for CUDA, whose operators the PyTorch for processors
# cannot load; its models are Python and need but these two to be declared.
DECLARE_OPERATORS = """
import importlib.util, torch
if importlib.util.find_spec("torchvision"):
    try:
        import torchvision
    except RuntimeError:
        torch._torchvision_operators = torch.library.Library("torchvision", "FRAGMENT")
        for name in ("nms", "qnms"):
            torch._torchvision_operators.define(
                f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
            )
            del name
    else:
        del torchvision
del importlib, torch
"""
_SHELL = re.compile(r"^[ \t]*!|^\s*%%(?:bash|sh|script)\b", re.MULTILINE)
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


class NotAsSaid(AssertionError):  # noqa: N818  it is a finding, like a failed assertion
    """A notebook that does not do what its header says."""


def lay(
    notebook: SeededNotebook, folder: Path, sources: Sources | None, *, cured: bool = False
) -> None:
    """Put the files that a recipe takes beside its notebook, as it changes them.

    What stands for installed libraries is laid into a folder beside the notebook's.
    """
    for path, content in notebook.modules:
        module = folder.with_name(_INSTALLED) / path
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(content, encoding="utf-8")
    if notebook.origin is None:
        return
    shutil.copy(Path(__file__).with_name("standins.py"), folder)
    if notebook.files is None:
        return
    assert sources is not None
    below = "" if notebook.files == "." else notebook.files
    sources.lay(notebook.origin, below, folder)
    changes = (*notebook.changes, *(notebook.cures if cured else ()))
    script = folder / PurePosixPath(notebook.origin.file).relative_to(below)
    if script.suffix == ".py" and changes:
        text = {"": script.read_text(encoding="utf-8")}
        script.write_text(changed(text, changes)[""], encoding="utf-8")


def prepare(kernel: Notebook, notebook: SeededNotebook, card: str | None = None) -> None:
    """Give a fresh kernel its GPU, and the helper."""
    if notebook.needs_libraries:
        kernel.quietly(DECLARE_OPERATORS)
    if notebook.modules:
        kernel.quietly(_ADD_INSTALLED)
    kernel.quietly(_SIMULATE.format(card=card or notebook.gpu, outside=notebook.outside))
    start_helper(kernel)


def run_cell(kernel: Notebook, number: int, sources: Mapping[str, str]) -> Run:
    """Run a cell to its end, as a page does that renews its lease."""
    kernel.attach()
    own_id = cell_id(number)
    request = kernel.submit(sources[own_id], cell_id=own_id, stop_on_error=False)
    return kernel.result(request, timeout_s=_PATIENCE_S)


def run_to_failure(kernel: Notebook, notebook: SeededNotebook) -> Run:
    """Run all cells to the failing one and return its run; raises `NotAsSaid`."""
    prepare(kernel, notebook)
    run = None
    for n, step in enumerate(notebook.steps, 1):
        run = run_cell(kernel, step.cell, notebook.sources)
        end = "ok" if notebook.cause == "caught-errors" and run.status == "ok" else ending(run)
        if end != step.ends:
            raise NotAsSaid(f"step {n}, cell {step.cell}: {end}, {error_text(run)[-1500:]}")
    assert run is not None
    line = failing_line(run)
    if line != notebook.fails and end == "out of memory":
        raise NotAsSaid(f"it is the line {line!r} that fails")
    return run


def run_cured(kernel: Notebook, notebook: SeededNotebook) -> None:
    """Run all cells as the header's edits leave them; raises `NotAsSaid` where one fails."""
    prepare(kernel, notebook)
    for step in notebook.steps:
        run = run_cell(kernel, step.cell, notebook.cured_sources)
        if ending(run) != "ok" and step == notebook.steps[-1]:
            raise NotAsSaid(f"cured, cell {step.cell}: {error_text(run)[-1500:]}")


def ending(run: Run) -> str:
    """Return how a cell ended: `ok`, `out of memory` or `error`."""
    errors = [content for kind, content in run.outputs if kind == "error"]
    if run.status == "ok" and not errors:  # `%run` shows the error of its script, and goes on
        return "out of memory" if "OutOfMemoryError: " in run.text else "ok"
    return "out of memory" if "out of memory" in error_text(run) else "error"


def error_text(run: Run) -> str:
    """Return the traceback of a cell as it is printed, without colours."""
    errors = [content for kind, content in run.outputs if kind == "error"]
    return _ANSI.sub("", "\n".join(errors[-1]["traceback"])) if errors else str(run.reply)


def failing_line(run: Run) -> str:
    """Return the text of the innermost line of the failing cell in its traceback."""
    count = run.reply["execution_count"]
    numbers = re.findall(rf"Cell In\s?\[{count}\], line (\d+)", error_text(run))
    lines = _source_of(run).splitlines()
    # Neither a script's own process has a line in the cell, nor what `%run` runs.
    return lines[int(numbers[-1]) - 1 if numbers else -1].strip()


def _source_of(run: Run) -> str:
    return next(
        str(msg["content"]["code"]) for msg in run.messages if msg["msg_type"] == "execute_input"
    )


def report_of(kernel: Notebook, run: Run, own_id: str) -> dict[str, Any] | None:
    """Return the report of a failing cell, completed; `None` where there is no report.

    What a process printed that the shell of the cell of this id started is handed over, as a page
    does.
    """
    reports = [
        content["data"][REPORT]
        for kind, content in run.outputs
        if kind == "display_data" and REPORT in content["data"]
    ]
    if not reports:
        return kernel.explain(run, own_id) if _SHELL.search(_source_of(run)) else None
    report: dict[str, Any] = reports[-1]
    if report["looking"]:
        with suppress(AssertionError):  # it is judged as it stands then
            kernel.until(lambda: not _latest(kernel, report)["looking"], _COMPLETE_S)
    return _latest(kernel, report)


def _latest(kernel: Notebook, report: dict[str, Any]) -> dict[str, Any]:
    latest = report
    for message in kernel.messages():
        if message["msg_type"] == "update_display_data":
            updated = message["content"]["data"].get(REPORT, {})
            if updated.get("report_id") == report["report_id"]:
                latest = updated
    return latest


def free(kernel: Notebook, report_id: str, items: list[str] | None) -> None:
    """Free as the report does; `None` is all that is safe."""
    since = kernel.now
    confirmed = [item for item in items or () if item not in OF_THE_FAILED_CELL]
    reply = kernel.ask("release", items=items, confirmed=confirmed, report_id=report_id)
    kernel.await_event("released", since, release_id=reply["release_id"])


def overwritten(
    kernel: Notebook, report_id: str, run: list[str], sources: dict[str, str]
) -> list[str]:
    """Return what goes before these cells run again, if the person agrees to all of it."""
    reply = kernel.ask("rerun", report_id=report_id, run=run, sources=sources)
    cost = kernel.await_event("rerun", request_id=reply["id"])
    return [item["id"] for item in cost["items"]]
