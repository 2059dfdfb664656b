"""A cell that ran out of GPU memory, as it was at its end."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
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

    @property
    def requested_bytes(self) -> int | None:
        """What was asked for: as the observer has it where the message is a rounding of that."""
        said, seen = self.recognition.said.requested_bytes, self.capture
        if said is None or seen is None or seen.requested_bytes is None:
            return said
        # PyTorch prints two decimals of the largest unit.
        unit = 1 << 10 * ((said.bit_length() - 1) // 10)
        is_that = 100 * abs(seen.requested_bytes - said) <= unit
        return seen.requested_bytes if is_that else said

    @property
    def device_index(self) -> int:
        """The card that ran out of memory."""
        index = device_that_failed(self.recognition, self.capture)
        if index is None and self.device is not None:
            index = self.device.index
        return index or 0

    def on_one_card(self) -> Failure:
        """Return this without a reading or a capture of another card."""
        index, capture, device = self.device_index, self.capture, self.device
        return replace(
            self,
            capture=capture if capture is not None and capture.device_index == index else None,
            device=device if device is not None and device.index == index else None,
        )


def device_that_failed(recognition: Recognition, capture: Capture | None) -> int | None:
    """Return which card ran out of memory, by what the error says, else by what was captured."""
    if recognition.said.device_index is not None:
        return recognition.said.device_index
    return None if capture is None else capture.device_index


def last_shown() -> int:
    """Tell errors apart without holding one."""
    return id(getattr(sys, "last_value", None))
