"""Evidence for the tests of rules and remedies: a card of 16 GiB, and what a test changes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_headroom.cells.runs import CellRun
from gpu_headroom.errors.recognise import recognise
from gpu_headroom.frameworks.torch.observer import Capture
from gpu_headroom.oom.evidence import Evidence
from gpu_headroom.oom.failure import Failure
from gpu_headroom.oom.failure_memory import FailureMemory
from gpu_headroom.text.format import GIB

if TYPE_CHECKING:
    from collections.abc import Sequence

CAPACITY = 16 * GIB


def cell(source: str = "", name: str = "failing", count: int = 7) -> CellRun:
    """Make the run of a cell."""
    return CellRun(name, count, source, None, 0.0)


def evidence(  # noqa: PLR0913  all that a test may vary
    *,
    requested: int | None = 2 * GIB,
    free: int = GIB,
    cached: int = GIB // 2,
    outside: int = GIB // 2,
    kinds: dict[str, int] | None = None,
    source: str = "",
    cells: Sequence[CellRun] = (),
    largest_block: int | None = None,
    segments_expand: bool = False,
    elsewhere: bool = False,
    **changes: Any,
) -> Evidence:
    """Make the evidence of a failure; what is in use is the rest of the card."""
    in_use = CAPACITY - free - cached - outside
    failing = cell(source)
    recognition = recognise(RuntimeError("CUDA out of memory."))
    assert recognition is not None
    capture = Capture(0.0, 0, CAPACITY, free, {}, largest_block, segments_expand, ())
    failure = Failure(
        error=RuntimeError(),
        recognition=replace(recognition, elsewhere=elsewhere),
        capture=capture,
        life_id="life",
        cell=failing,
        cells=(*cells, failing),
        device=None,
        shell=None,
        time_s=0.0,
    )
    memory = FailureMemory(CAPACITY, free, free, in_use, cached, outside, "memory_stats()")
    known: Any = kinds or {}
    made = Evidence(
        failure=failure,
        memory=memory,
        device_index=0,
        requested_bytes=requested,
        line=None,
        kinds=known,
        not_attributed_bytes=in_use - sum(known.values()),
        complete=True,
    )
    return replace(made, **changes)
