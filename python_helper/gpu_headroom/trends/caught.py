"""Errors of a full GPU that a cell caught: how many attempts, and what filled it at the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..oom.failing_line import in_cells
from ..oom.failure_memory import from_capture
from ..text.messages import message
from .words import TEXTS

if TYPE_CHECKING:
    from ..cells.runs import CellRun
    from ..frameworks.torch.observer import Capture
    from ..protocol.generated.wire import Message
    from ..readings.snapshot import DeviceReading


def said_of(
    run: CellRun, count: int, first: Capture | None, device: DeviceReading | None
) -> Message:
    """Return the warning of a cell that caught `count` errors, the `first` of them as captured."""
    steps = [step for _, frames in (first.threads if first else ()) for step in frames]
    line = next((line for _, line, _ in in_cells(steps, (run,))), None)
    if first is None or line is None:
        return message("warning.swallowed_oom", TEXTS, count=count)
    memory = from_capture(first, device)
    return message(
        "warning.caught.first",
        TEXTS,
        count=count,
        line=line,
        requested_bytes=first.requested_bytes,
        capacity_bytes=memory.capacity_bytes,
        in_use_bytes=memory.in_use_bytes,
        cached_bytes=memory.cached_bytes,
        free_bytes=memory.usable_bytes,
    )
