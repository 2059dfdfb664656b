"""Messages to and from the process of a dry run, one line of JSON each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, cast

from gpu_headroom.protocol.checking import is_shaped
from gpu_headroom.text.untrusted import parse_json

from .gpus import AMPERE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_headroom.protocol.generated.wire import DryRunAsk, DryRunFound, Message, Report

    from .notebook import CodeCell
else:  # no pack carries them; what is shown of them is looked at there
    DryRunAsk = DryRunFound = Message = Report = dict


class DryRunOrder(NamedTuple):
    """Order of a dry run: cells by id, in the order in which they run, with their labels.

    `gpus` are like `gpus.Gpu`. Edits are tried on `tries_on`: of `edits`, or with `None` all
    that the run suggests. With `largest`, the largest number that fits is searched for edits that
    set one, with `largest_on_each` that of the batch on each of `gpus`. Nothing runs if cells do
    more than compute, unless `agreed`; nor without a sandbox, unless `unheld`.

    Cells run as the script of the folder that `argv` names, with its arguments, or as a notebook.
    A training loop ends once nothing has changed for `steps` steps of an optimizer, a cell after
    `cell_s` seconds, a run after `time_s` or with `memory_bytes` of the host. Other machines are
    reached only with `network`. Up to the end of the cell `values_to` the host computes values;
    after it there are sizes only. With `fake_data` nothing is downloaded.
    """

    sources: dict[str, str]
    labels: dict[str, str]
    folder: str
    argv: Sequence[str] = ("",)
    gpus: Sequence[Any] = ()
    tries: bool = True
    tries_on: str | None = None
    edits: list[EditedCells] | None = None
    largest: bool = False
    largest_on_each: bool = False
    agreed: bool = False
    unheld: bool = False
    steps: int = 3
    cell_s: float = 60.0
    network: bool = False
    values_to: str | None = None
    fake_data: bool = False
    memory_bytes: int = 8 * 2**30
    time_s: float = 600.0


def ordered(cells: Sequence[CodeCell], folder: str, **differs: Any) -> DryRunOrder:
    """Return an order to run cells in a folder; `differs` is what is not as usual."""
    sources = {cell.id: cell.source for cell in cells}
    return DryRunOrder(sources, {cell.id: cell.label for cell in cells}, folder, **differs)


class DryRunStep(TypedDict):
    """Progress of a dry run: the fields of the wire's `dry_run` for that."""

    status: Literal["asking", "running", "done", "failed"]
    message: Message | None
    asks: list[DryRunAsk]
    found: DryRunFound | None


class RunOrder(NamedTuple):
    """One run of an order's cells, or of edited ones, on a simulated GPU.

    The GPU has `capacity_bytes`, `None` for no limit, and reports the compute `capability`. The
    request of number `refuse_at` is refused, to find what fills the GPU then. The cells run in a
    view of the order's folder. `scratch` is the only folder that can be written to, and contains
    the view. `held_by` is a kind of `sandbox.py`.
    """

    order: DryRunOrder
    cells: list[tuple[str, str]]
    capacity_bytes: int | None = None
    capability: tuple[int, int] = AMPERE
    refuse_at: int | None = None
    scratch: str = ""
    held_by: str = ""


class RunPeak(TypedDict):
    """The most that was in use on the GPU; `request` is the number of the one that reached it.

    `line` of the cell `cell_id` called for it; both `None` where none did. `threads`: how many ask.
    """

    allocated_bytes: int
    reserved_bytes: int
    outside_bytes: int
    request: int
    threads: int
    cell_id: str | None
    line: int | None


class EditedCells(TypedDict):
    """Source of the cells after an edit that a report has a button for.

    If the edit changes one number, `number` is the new one and `before` the old one, in the cell
    `cell_id` from the first to the last of `lines`.
    """

    remedy_id: str
    title: Message
    cells: list[tuple[str, str]]
    before: int | None
    number: int | None
    cell_id: str | None
    lines: tuple[int, int] | None


class Ended(TypedDict):
    """Result of a run, or its progress.

    `outcome`: all cells ran, or one ran out of memory (`report` is its report), raised another
    `error`, or used something that is not simulated, at a `line` of the cell `cell_id` while
    `running` ran; or the process was ended for its `memory` or `time`, or `died`, with its last
    output as `error` and all other fields as they were by then. `peak` is `None` if no GPU was
    used. `cut` are the cells in which a training was ended early, `timed_out` those with too little
    time. `edits` are those of the report.
    """

    outcome: Literal["done", "oom", "error", "not_simulated", "memory", "time", "died"]
    cell_id: str | None
    line: int | None
    running: str | None
    error: str | None
    peak: RunPeak | None
    cut: list[str]
    timed_out: list[str]
    report: Report | None
    edits: list[EditedCells]


NOTHING: Ended = {
    "outcome": "died",
    "cell_id": None,
    "line": None,
    "running": None,
    "error": None,
    "peak": None,
    "cut": [],
    "timed_out": [],
    "report": None,
    "edits": [],
}
"""A run that came to no cell."""
DIED = {"memory", "time", "died"}
LONGEST = 10**8
"""Bytes of one event or step."""
GONE = b"null\n"
"""The event of a run whose process is gone."""


def ended_of(line: bytes) -> Ended | None:
    """Return how a run ended, or how far it is: `died` by now; `None`: its process is gone.

    Raises `ValueError` where a line says neither.
    """
    if line == GONE:
        return None
    event = parse_json(line, dict, LONGEST)
    if not is_shaped(event, Ended):
        raise ValueError("no event")
    return cast("Ended", event)


def step_of(line: bytes) -> DryRunStep | None:
    """Return the step on a line; `None` where there is none."""
    step = parse_json(line, dict, LONGEST)
    return cast("DryRunStep", step) if is_shaped(step, DryRunStep) else None
