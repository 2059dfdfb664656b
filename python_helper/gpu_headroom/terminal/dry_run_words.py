"""What was found, in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dry_run.findings import fullest, needed_bytes
from ..text.format import format_bytes
from ..text.messages import say
from .tables import heads, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..dry_run.asks import Ask
    from ..dry_run.findings import Findings, Fit, Try
    from ..dry_run.gpus import Gpu
    from ..dry_run.job import Ended
    from ..dry_run.notebook import CodeCell
    from ..dry_run.process import Died
    from ..protocol.wire import Report

TEXTS = {
    "dry_run.needed": "Needed at its peak: {needed_bytes}, simulated.",
    "dry_run.at_least": "Needed at least: {needed_bytes}, simulated.",
    "dry_run.no_gpu_used": "No cell used a GPU: nothing of PyTorch was put on `cuda`.",
    "dry_run.place": "Reached in {cell}, line {line}: `{code}`.",
    "dry_run.context": "the driver's context",
    "dry_run.stopped": "It ended in {cell}{line}: {error}",
    "dry_run.not_simulated": (
        "It ended in {cell}{line}, because of the simulation: {error} What comes behind was not "
        "run."
    ),
    "dry_run.values": (
        "It had sizes only. If that line needs a value, `--values` has this machine's processor "
        "compute them: it takes longer, and as much host memory as the GPU's."
    ),
    "dry_run.stopped_line": ", line {line}",
    "dry_run.cut": "{cell}: its training was ended once {steps} steps changed nothing any more.",
    "dry_run.timed_out": "{cell}: ended after {seconds} s; it may need more than was seen.",
    "dry_run.threads": "{threads} threads used it: at once they may need more another time.",
    "dry_run.heads": "GPU | Memory | Left at the peak | Fits",
    "dry_run.fits": "yes",
    "dry_run.fits_not": "no",
    "dry_run.fits_unknown": "not known",
    "dry_run.left": "{size_bytes}",
    "dry_run.missing": "{size_bytes} missing",
    "dry_run.tried_on": "Tried on {gpu}",
    "dry_run.result": "Result",
    "dry_run.try_fits": "fits, peak {peak_bytes} of {total_bytes}",
    "dry_run.try_fails": "fails again in {cell}{line}",
    "dry_run.try_ends": "cannot be tried: {error}",
    "dry_run.fails": "On {gpu} it runs out in {cell}{line}.",
    "dry_run.no_edit": "No edit is offered for that failure.",
    "dry_run.asks": "Before it runs: these cells do more than compute and write files.",
    "dry_run.ask": "  {cell}: {calls}",
    "dry_run.ask_how": (
        "Say `--run-all` to run them in the dry run too, or `--leave-out 1,3` to leave cells out. "
        "Commands (`%pip` and what a shell runs) are passed over unless `--commands` is given."
    ),
    "dry_run.unknown_gpu": (
        "There is no GPU called `{name}` here. Near it: {near}, or a size such as `24 GiB`."
    ),
    "dry_run.unreadable": "`{path}` cannot be read as a notebook or a script: {error}",
    "dry_run.empty": "`{path}` has no code to run.",
    "dry_run.no_torch": "A dry run needs PyTorch in this environment: `pip install torch`.",
    "dry_run.memory": (
        "The run took more than {limit_bytes} of this machine's memory and was ended."
    ),
    "dry_run.time": "The run took more than {seconds} s and was ended.",
    "dry_run.died": "The run's process ended by itself. Its last words: {said}",
}
_GONE = ("outside", "cached", "free")
_NONE = 9  # of the columns is aligned to the right


def summary(
    found: Findings, cells: Sequence[CodeCell], steps: int, cell_s: float, *, values: bool
) -> Iterator[str]:
    """Say what is needed, on which GPUs it fits, and what came of each edit."""
    by_id = {cell.id: cell for cell in cells}
    yield from _needed(found, by_id)
    if found.ended["outcome"] in {"error", "not_simulated"} and not values:
        yield say("dry_run.values", TEXTS)
    yield from _cut(found.ended, by_id, steps, cell_s)
    if found.fits:
        yield ""
        yield table(heads("dry_run.heads", TEXTS), map(_fit, found.fits), right=_NONE)
    if found.tried_on is not None and found.failure is not None:
        yield ""
        yield from _tries(found, found.tried_on, found.failure, by_id)


def died(death: Died, memory_bytes: int, time_s: float) -> str:
    """Say how a run ended that came to no end of its own."""
    if "No module named 'torch'" in death.said:
        return say("dry_run.no_torch", TEXTS)
    limits: dict[str, Any] = {
        "limit_bytes": memory_bytes,
        "seconds": round(time_s),
        "said": death.said,
    }
    return say(f"dry_run.{death.how}", TEXTS, **limits)


def asked(asks: Sequence[Ask]) -> Iterator[str]:
    """List what cells do besides computing, and how to answer."""
    yield say("dry_run.asks", TEXTS)
    for ask in asks:
        calls = ", ".join(f"`{each}`" for each in ask.calls)
        yield say("dry_run.ask", TEXTS, cell=ask.cell.label, calls=calls.replace("`", ""))
    yield say("dry_run.ask_how", TEXTS)


def _needed(found: Findings, cells: Mapping[str, CodeCell]) -> Iterator[str]:
    ended, peak = found.ended, found.peak
    if peak is None:
        yield say("dry_run.no_gpu_used", TEXTS)
    else:
        is_whole = ended["outcome"] == "done" and not ended["timed_out"]
        said = "dry_run.needed" if is_whole else "dry_run.at_least"
        yield say(said, TEXTS, needed_bytes=needed_bytes(peak))
        yield from _place(cells, peak["cell_id"], peak["line"])
        if peak["threads"] > 1:
            yield say("dry_run.threads", TEXTS, threads=peak["threads"])
        if found.at_peak is not None:
            yield _parts(found.at_peak, peak["outside_bytes"])
    if ended["outcome"] in {"error", "not_simulated"}:
        is_error = ended["outcome"] == "error"
        yield say(
            "dry_run.stopped" if is_error else "dry_run.not_simulated",
            TEXTS,
            **_where(cells, ended),
            error=ended["error"],
        )


def _parts(report: Report, outside_bytes: int) -> str:
    parts = [part for part in report["parts"] if part["kind"] not in _GONE and part["bytes"]]
    # The request that reached the peak is a part of it, too.
    sizes = [(say(f"part.{part['kind']}"), part["bytes"]) for part in parts]
    sizes.append((say("dry_run.context", TEXTS), outside_bytes))
    sizes.sort(key=lambda each: -each[1])
    return "  " + " · ".join(f"{format_bytes(size)} {name}" for name, size in sizes)


def _place(cells: Mapping[str, CodeCell], cell_id: str | None, line: int | None) -> Iterator[str]:
    cell = cells.get(cell_id or "")
    if cell is not None and line is not None:
        lines = cell.source.splitlines()
        code = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        yield say("dry_run.place", TEXTS, cell=cell.label, line=line, code=code)


def _where(cells: Mapping[str, CodeCell], ended: Ended) -> dict[str, Any]:
    cell, line = cells.get(ended["cell_id"] or ""), ended["line"]
    return {
        "cell": cell.label if cell else "?",
        "line": "" if line is None else say("dry_run.stopped_line", TEXTS, line=line),
    }


def _cut(ended: Ended, cells: Mapping[str, CodeCell], steps: int, cell_s: float) -> Iterator[str]:
    for cell_id in dict.fromkeys(ended["cut"]):
        if cell_id not in ended["timed_out"]:
            yield say("dry_run.cut", TEXTS, cell=cells[cell_id].label, steps=steps)
    for cell_id in ended["timed_out"]:
        yield say("dry_run.timed_out", TEXTS, cell=cells[cell_id].label, seconds=round(cell_s))


def _fit(fit: Fit) -> list[str]:
    said = {True: "dry_run.fits", False: "dry_run.fits_not", None: "dry_run.fits_unknown"}[fit.fits]
    left = ""
    if fit.left_bytes is not None:
        which = "dry_run.left" if fit.left_bytes >= 0 else "dry_run.missing"
        left = say(which, TEXTS, size_bytes=abs(fit.left_bytes))
    where = f" ({fit.gpu.where})" if fit.gpu.where else ""
    return [fit.gpu.name + where, format_bytes(fit.gpu.total_bytes), left, say(said, TEXTS)]


def _tries(
    found: Findings, gpu: Gpu, failure: Ended, cells: Mapping[str, CodeCell]
) -> Iterator[str]:
    yield say("dry_run.fails", TEXTS, gpu=gpu.name, **_where(cells, failure))
    if not found.tries:
        yield say("dry_run.no_edit", TEXTS)
        return
    rows = [[each.edit["title"], _tried(each, gpu, cells)] for each in found.tries]
    head = [say("dry_run.tried_on", TEXTS, gpu=gpu.name), say("dry_run.result", TEXTS)]
    yield table(head, rows, right=_NONE)


def _tried(tried: Try, gpu: Gpu, cells: Mapping[str, CodeCell]) -> str:
    ended = tried.ended
    if ended is None:
        return say("dry_run.try_ends", TEXTS, error=tried.died)
    if ended["outcome"] == "done":
        peak = fullest(ended)
        used = 0 if peak is None else needed_bytes(peak)
        return say("dry_run.try_fits", TEXTS, peak_bytes=used, total_bytes=gpu.total_bytes)
    if ended["outcome"] == "oom":
        return say("dry_run.try_fails", TEXTS, **_where(cells, ended))
    return say("dry_run.try_ends", TEXTS, error=ended["error"])
