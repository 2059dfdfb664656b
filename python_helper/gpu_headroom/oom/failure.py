"""A cell that ran out of GPU memory, as it was at its end."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Literal

    from ..cells.runs import CellRun
    from ..errors.recognise import Recognition
    from ..frameworks.torch.observer import Capture
    from ..readings.snapshot import DeviceReading


@dataclass(frozen=True, slots=True)
class Failure:
    """A cell that ran out of GPU memory; `cells` are the latest runs of all, oldest first.

    `runs` are also earlier ones of each. `after_oom` is what the person's settings ask for.
    `earlier_traceback_bytes` is what only the error of an earlier cell held when this cell began;
    `None` where that is not known.
    """

    error: BaseException
    recognition: Recognition
    capture: Capture | None
    life_id: str
    cell: CellRun
    cells: tuple[CellRun, ...]
    device: DeviceReading | None
    shell: Any
    time_s: float
    runs: tuple[CellRun, ...] = ()
    after_oom: Literal["ask", "free", "never"] = "ask"
    earlier_traceback_bytes: int | None = None


def last_shown() -> int:
    """Tell errors apart without holding one."""
    return id(getattr(sys, "last_value", None))
