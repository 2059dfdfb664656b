"""First line of a report: which memory was exhausted, and how much was missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .format import format_compared
from .messages import say

if TYPE_CHECKING:
    from ..protocol.generated.wire import Worker


def headline(
    requested: int | None, available: int | None, *, simulated: bool, worker: Worker | None = None
) -> tuple[str, str]:
    """Return "Out of GPU memory" and "needed 2.00 GiB more, …", as far as the bytes are known."""
    title = say("report.title_simulated" if simulated else "report.title")
    if worker is not None:
        title = say("report.on", title=title, worker=named(worker["engine"], worker["rank"]))
    return title, _needed(requested, available)


def named(engine: str, rank: int | None) -> str:
    """Return the name of a process in a sentence: "rank 1", "Dask worker 3", "a Ray worker"."""
    if rank is not None:
        engine = {"dask": "dask_number", "ipyparallel": engine}.get(engine, "rank")
    elif engine in {"ipyparallel", "rank"}:
        engine = "process"
    return say(f"worker.{engine}", rank=rank)


def process(pid: int, host: str | None) -> str:
    """Return "Process 1190 on node7.", or without an unknown host."""
    if host is None:
        return say("report.process", pid=pid)
    return say("report.process_on", pid=pid, host=host)


def _needed(requested: int | None, available: int | None) -> str:
    if requested is None:
        return say("report.size_unknown")
    if available is None:
        return say("report.needed_only", requested=format_compared(requested)[0])
    more, free = format_compared(requested, available)
    return say("report.needed", requested=more, available=free)
