"""What a pasted error, traceback or log says, and the advice that holds by its numbers alone."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..card.report import report_of
from ..cells.runs import CellRun
from ..errors.pasted import recognise_text
from ..errors.recognise import Recognition
from ..errors.remote import RemoteWorker, named_in
from ..errors.statement import is_of_else
from ..frameworks.registry import TITLES
from ..oom.evidence import as_said
from ..oom.failure import Failure
from ..render.text import lines
from ..text.headline import named, process
from ..text.messages import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..errors.pasted import Pasted
    from ..errors.statement import Statement
    from ..oom.evidence import Evidence

TEXTS = {
    "explain.nothing": "The text does not say that a GPU ran out of memory.",
    "explain.something_else": (
        "The text does not say that a GPU ran out of memory. It speaks of another shortage or "
        "fault: host memory, shared memory, a disk, or a kernel that failed."
    ),
    "explain.error": "{error} of {framework}. The numbers are the text's, rounded as they are.",
    "explain.message": "A message of {framework}. The numbers are the text's, rounded as they are.",
    "explain.doubtful": (
        "The same words stand for pinned host memory, and for a library that could not begin: "
        "look whether the card was full at that moment."
    ),
    "explain.process": "Process {pid} had {process_bytes} of the card.",
    "explain.process_unmeasured": "Process {pid} was on the card, with how much is not known.",
    "explain.lone_process": (
        "Process {pid} had {process_bytes} of the card: as no other is named, this is probably "
        "the failing program itself, by the number it has outside of its container."
    ),
    "explain.private_pools": (
        "{pools_bytes} of what was in use lay in private pools, which captured CUDA graphs keep."
    ),
    "explain.worker": "It is the failure of {worker}: its own card was full.",
    "explain.more": "To know more",
    "explain.more.full_message": (
        "The whole message: it was cut, or its library prints no more. PyTorch's own names the "
        "request, what was free, and what was in use."
    ),
    "explain.more.holders": (
        "What filled the card: a message does not say. In the notebook `%gpu_headroom holders` "
        "does, and the card below the cell that fails, also which line asked for how much."
    ),
    "explain.more.code": (
        "The code of the failing cell: only with it can a smaller batch or a change of a line be "
        "proposed."
    ),
}
_OF_RAY = "ray::"  # before the name of a task or an actor's method
_NAMES = {**TITLES, "cuda": "a library that uses CUDA"}


def explain(text: str) -> list[str] | None:
    """Return what a text says of a full GPU, line by line; `None` where it says nothing of one."""
    pasted = recognise_text(None, text)
    if pasted is None:
        return None
    evidence = _evidence(pasted)
    report = report_of(evidence).report
    report["device_index"] = pasted.said.device_index
    return [
        *lines(report),
        "",
        *_about(pasted),
        *_whose(text),
        "",
        say("explain.more", TEXTS),
        *_wanted(pasted.said),
    ]


def explain_nothing(text: str) -> str:
    """Return a sentence for a text that speaks of no full GPU."""
    return say("explain.something_else" if is_of_else(text) else "explain.nothing", TEXTS)


def _about(pasted: Pasted) -> Iterator[str]:
    said = pasted.said
    framework = _NAMES.get(said.framework, said.framework)
    if pasted.error_name is None:
        yield say("explain.message", TEXTS, framework=framework)
    else:
        yield say("explain.error", TEXTS, error=pasted.error_name, framework=framework)
    if not said.certain:
        yield say("explain.doubtful", TEXTS)
    named = pasted.besides
    for clause in named.processes:
        if clause.bytes is None:
            yield say("explain.process_unmeasured", TEXTS, pid=clause.pid)
        else:
            kind = "explain.lone_process" if named.is_alone else "explain.process"
            yield say(kind, TEXTS, pid=clause.pid, process_bytes=clause.bytes)
    if named.private_pools_bytes:
        yield say("explain.private_pools", TEXTS, pools_bytes=named.private_pools_bytes)


def _whose(text: str) -> Iterator[str]:
    """Yield which process's failure it is, as far as the text names one."""
    worker = named_in(text, RemoteWorker("ray" if _OF_RAY in text else "rank"))
    if worker.rank is not None or worker.engine == "ray":
        yield say("explain.worker", TEXTS, worker=named(worker.engine, worker.rank))
    if worker.pid is not None:
        yield process(worker.pid, worker.host)


def _wanted(said: Statement) -> Iterator[str]:
    if said.requested_bytes is None or said.capacity_bytes is None:
        yield "  - " + say("explain.more.full_message", TEXTS)
    yield "  - " + say("explain.more.holders", TEXTS)
    yield "  - " + say("explain.more.code", TEXTS)


def _evidence(pasted: Pasted) -> Evidence:
    """Return what rules and remedies may reason from: the numbers, and nothing of a kernel."""
    error, now = RuntimeError(), time.time()
    return as_said(
        Failure(
            error=error,
            recognition=Recognition(error, pasted.error_name or "", pasted.said),
            capture=None,
            life_id="",
            cell=CellRun(None, None, "", None, now),
            cells=(),
            device=None,
            shell=None,
            time_s=now,
        )
    )
