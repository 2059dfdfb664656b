"""Sentences of a dry run: in a front end in the user's language, on a terminal in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_headroom.text.messages import message

from .findings import is_whole, needed_bytes
from .job import DIED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_headroom.protocol.generated.wire import Message

    from .findings import Findings, Try
    from .gpus import Gpu
    from .job import DryRunOrder, EditedCells, Ended, RunPeak

_NOT_THERE = "NotMadeUpError"  # of which values tell no more
PROGRAMS, EQUAL = 193, 171  # of benchmarks/fidelity/results.md
TEXTS = {
    "dry_run.needed": "Needed at its peak: {needed_bytes}, simulated.",
    "dry_run.at_least": "Needed at least: {needed_bytes}, simulated.",
    "dry_run.no_gpu_used": "No cell used a GPU: nothing of PyTorch was put on `cuda`.",
    "dry_run.place": "Reached in {cell}, line {line}: `{code}`.",
    "dry_run.sure": (
        "Of {programs} programs that were held to PyTorch's own allocator {equal} were equal to "
        "the byte. What cuDNN takes besides is not known."
    ),
    "dry_run.fake_data": (
        "Data sets, texts and weights were made up: nothing was downloaded. A made-up tokenizer "
        "has a token for every four letters of a word, and large data sets have fewer rows."
    ),
    "dry_run.stopped": "It ended in {cell}{line}: {error}",
    "dry_run.not_simulated": (
        "It ended in {cell}{line}, because of the simulation: {error} The cells after it did not "
        "run."
    ),
    "dry_run.values": (
        "It had sizes only there. If that line needs a value, run it with values up to {cell} "
        "(`--values-to` of the command): this machine's processor computes them, which takes "
        "longer, and as much of its memory as of the GPU's."
    ),
    "dry_run.line": ", line {line}",
    "dry_run.cut": "{cell}: its training was ended once {steps} steps changed nothing any more.",
    "dry_run.timed_out": "{cell}: ended after {seconds} s; it may need more than was seen.",
    "dry_run.threads": "{threads} threads used it: at once they may need more another time.",
    "dry_run.fails": "On {gpu} it runs out in {cell}{line}.",
    "dry_run.largest": (
        "`{name}` is {before}; the largest with which it fits was looked for by runs on each GPU."
    ),
    "dry_run.no_edit": "No edit is offered for that failure.",
    "dry_run.try_fits": "fits, peak {peak_bytes} of {total_bytes}",
    "dry_run.try_fails": "fails again in {cell}{line}",
    "dry_run.try_needs": "fails again in {cell}{line}, which needs at least {needed_bytes}",
    "dry_run.try_ends": "cannot be tried: {error}",
    "dry_run.running": "{cell} runs on a simulated GPU.",
    "dry_run.so_far": "{cell} runs on a simulated GPU: {needed_bytes} needed so far.",
    "dry_run.trying": "An edit is tried: {cell} runs.",
    "dry_run.busy": "A dry run is already running in this kernel.",
    "dry_run.cancelled": "The dry run was ended.",
    "dry_run.unknown_gpu": (
        "There is no GPU called `{name}` here. Near it: {near}, or a size such as `24 GiB`."
    ),
    "dry_run.no_torch": "A dry run needs PyTorch in this environment: `pip install torch`.",
    "dry_run.unheld": (
        "This system has no sandbox for a dry run. Python refuses what reaches beyond the run; "
        "code in C can still change your files, reach other machines, start programs and use a "
        "GPU, and nothing limits the memory that it takes. Where the system makes no links, as on "
        "most Windows machines, the run has none of the files beside the notebook."
    ),
    "dry_run.no_folder": "A dry run needs a folder for what it writes: {error}",
    "dry_run.memory": (
        "The run took more than {limit_bytes} of this machine's memory and was ended."
    ),
    "dry_run.time": "The run took more than {seconds} s and was ended.",
    "dry_run.died": "The run's process ended by itself. Its last output: {said}",
}


def said(found: Findings, order: DryRunOrder) -> Iterator[Message]:
    """Yield messages on the memory needed, the GPUs that have it, and limits of the result."""
    ended, peak = found.ended, found.ended["peak"]
    yield _needed(ended, peak)
    if peak is not None:
        yield from _place(peak, order)
        if peak["threads"] > 1:
            yield message("dry_run.threads", TEXTS, threads=peak["threads"])
        yield message("dry_run.sure", TEXTS, programs=PROGRAMS, equal=EQUAL)
    if order.fake_data:
        yield message("dry_run.fake_data", TEXTS)
    if ended["outcome"] in {"error", "not_simulated"}:
        is_error = ended["outcome"] == "error"
        which = "dry_run.stopped" if is_error else "dry_run.not_simulated"
        yield message(which, TEXTS, **_where(ended, order), error=ended["error"])
        last = values_to(ended, order)
        if last is not None:
            yield message("dry_run.values", TEXTS, cell=order.labels[last])
    yield from _ended_early(ended, order)
    if found.batch and any(fit.largest is not None for fit in found.fits):
        given: dict[str, Any] = {"name": name_of(found.batch), "before": found.batch["before"]}
        yield message("dry_run.largest", TEXTS, **given)
    if found.tried_on and found.failure and found.failure["outcome"] == "oom":
        where = _where(found.failure, order)
        yield message("dry_run.fails", TEXTS, gpu=found.tried_on.name, **where)
        if not (found.tries or found.failure["edits"]):
            yield message("dry_run.no_edit", TEXTS)


def name_of(batch: EditedCells) -> str:
    """Return what the number that sets the batch is called in the code."""
    return str(batch["title"]["params"].get("name", "batch"))


def values_to(ended: Ended, order: DryRunOrder) -> str | None:
    """Return the cell that ended the run, where it had no values, and may have needed one."""
    cells, last = list(order.sources), order.values_to
    valued = cells[: cells.index(last) + 1] if last in cells else []
    is_value = ended["outcome"] in {"error", "not_simulated"}
    if not is_value or ended["running"] in valued or _NOT_THERE in str(ended["error"]):
        return None
    return ended["running"]


def tried(each: Try, gpu: Gpu, order: DryRunOrder) -> Message:
    """Return a message on the result of an edit."""
    ended, more = each.ended, gpu.more_bytes
    if ended["outcome"] in DIED:
        return message("dry_run.try_ends", TEXTS, error=died(ended, order)["text"])
    used = needed_bytes(ended["peak"]) - more
    total = gpu.total_bytes - more
    if ended["outcome"] == "done":
        return message("dry_run.try_fits", TEXTS, peak_bytes=used, total_bytes=total)
    if ended["outcome"] == "oom" and used > total:
        return message("dry_run.try_needs", TEXTS, **_where(ended, order), needed_bytes=used)
    if ended["outcome"] == "oom":  # for what is in pieces
        return message("dry_run.try_fails", TEXTS, **_where(ended, order))
    return message("dry_run.try_ends", TEXTS, error=ended["error"])


def doing(so_far: Ended, order: DryRunOrder, *, is_try: bool, is_first: bool) -> Message:
    """Return a message on what runs, and in the first run what it has needed so far."""
    cell, peak = order.labels.get(so_far["running"] or "", "?"), so_far["peak"]
    if is_first and peak is not None:
        return message("dry_run.so_far", TEXTS, cell=cell, needed_bytes=needed_bytes(peak))
    return message("dry_run.trying" if is_try else "dry_run.running", TEXTS, cell=cell)


def died(ended: Ended, order: DryRunOrder) -> Message:
    """Return a message on why a run ended early."""
    error = ended["error"] or ""
    if "No module named 'torch'" in error:
        return message("dry_run.no_torch", TEXTS)
    given: dict[str, Any] = {
        "limit_bytes": order.memory_bytes,
        "seconds": round(order.time_s),
        "said": error,
    }
    return message(f"dry_run.{ended['outcome']}", TEXTS, **given)


def _needed(ended: Ended, peak: RunPeak | None) -> Message:
    if peak is None:
        return message("dry_run.no_gpu_used", TEXTS)
    which = "dry_run.needed" if is_whole(ended) else "dry_run.at_least"
    return message(which, TEXTS, needed_bytes=needed_bytes(peak))


def _place(peak: RunPeak, order: DryRunOrder) -> Iterator[Message]:
    cell_id, line = peak["cell_id"], peak["line"]
    if cell_id is not None and line is not None:
        lines = order.sources[cell_id].splitlines()
        code = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        cell = order.labels[cell_id]
        yield message("dry_run.place", TEXTS, cell=cell, line=line, code=code)


def _ended_early(ended: Ended, order: DryRunOrder) -> Iterator[Message]:
    labels, seconds = order.labels, round(order.cell_s)
    for cell_id in dict.fromkeys(ended["cut"]):
        if cell_id not in ended["timed_out"]:
            yield message("dry_run.cut", TEXTS, cell=labels[cell_id], steps=order.steps)
    for cell_id in ended["timed_out"]:
        yield message("dry_run.timed_out", TEXTS, cell=labels[cell_id], seconds=seconds)


def _where(ended: Ended, order: DryRunOrder) -> dict[str, Any]:
    line = ended["line"]
    return {
        "cell": order.labels.get(ended["cell_id"] or "", "?"),
        "line": "" if line is None else message("dry_run.line", TEXTS, line=line)["text"],
    }
