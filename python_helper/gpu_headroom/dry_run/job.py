"""What goes to the process of a dry run, and what comes back: a line of JSON each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, TypedDict, cast

if TYPE_CHECKING:
    from ..protocol.wire import Report


class RunOrder(TypedDict):
    """Cells to run in order on a simulated GPU of `capacity_bytes`; `None`: none is too much.

    `work` is the view of the folder to run in and `scratch` what may be written to, itself
    included. A training loop ends once nothing has changed for `steps` steps of an optimizer, a
    cell after `cell_s` seconds. Commands (`!`, `%pip`) are run only where `commands` says so. With
    `values` the host computes them; else there are sizes only.
    The request of number `refuse_at` is refused, for what fills the card then.
    """

    cells: list[tuple[str, str]]
    work: str
    scratch: str
    capacity_bytes: int | None
    devices: int
    refuse_at: int | None
    steps: int
    cell_s: float
    commands: bool
    values: bool


class CardPeak(TypedDict):
    """The most that was in use on one card; `request` is the number of the one that reached it.

    `line` of the cell `cell_id`, which called for it; both `None` where no cell did. `threads` says
    how many asked for memory.
    """

    device_index: int
    allocated_bytes: int
    reserved_bytes: int
    outside_bytes: int
    request: int
    threads: int
    cell_id: str | None
    line: int | None


class EditedCells(TypedDict):
    """What the cells are after one of the edits that a card offers.

    Where it changes one number, `number` is the one that it has written in the place of `before`,
    in the cell `cell_id` from the first to the last of `lines`.
    """

    remedy_id: str
    title: str
    cells: list[tuple[str, str]]
    before: int | None
    number: int | None
    cell_id: str | None
    lines: tuple[int, int] | None


class Ended(TypedDict):
    """How a run ended.

    `outcome`: all cells ran, or one ran out of memory (`report` is its card), raised something
    else (`error`), or met what is not simulated. `cut` are the cells in which a training was
    ended early, `timed_out` those that were. `edits` are those of the report.
    """

    outcome: Literal["done", "oom", "error", "not_simulated"]
    cell_id: str | None
    line: int | None
    error: str | None
    peaks: list[CardPeak]
    cut: list[str]
    timed_out: list[str]
    report: Report | None
    edits: list[EditedCells]


class RunEvent(TypedDict):
    """A cell begins, or the run has ended."""

    type: Literal["cell", "ended"]
    cell_id: str | None
    ended: Ended | None


def event_of(line: bytes) -> RunEvent:
    """Return the event on a line; raises `ValueError` where there is none."""
    found = json.loads(line)
    if type(found) is not dict or found.get("type") not in {"cell", "ended"}:
        raise ValueError("no event")
    return cast("RunEvent", found)
