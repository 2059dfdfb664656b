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


_ALIKE = 0.01
_GONE = MemoryError()


@dataclass(frozen=True, slots=True)
class Failure:
    """A cell that ran out of GPU memory; `cells` are the latest runs of all cells, oldest first.

    `runs` also has earlier runs of each cell. `after_oom` is the user's setting.
    `earlier_traceback_bytes` is what only the error of an earlier cell retained when this cell
    started; `None` if unknown. `left_bytes` is how much more was in use at the start of this try
    than of the first. `simulated` is valid even without a reading. `names_others`: the report may
    contain names and ids of other processes. `other_devices` are the other GPUs of this machine at
    that time; `hidden_devices` are the free bytes and the number of empty GPUs that CUDA hides
    from this process.
    """

    error: BaseException
    recognition: Recognition
    capture: Capture | None
    helper_id: str
    cell: CellRun
    cells: tuple[CellRun, ...]
    device: DeviceReading | None
    shell: Any
    time_s: float
    runs: tuple[CellRun, ...] = ()
    after_oom: Literal["ask", "free", "never"] = "ask"
    earlier_traceback_bytes: int | None = None
    left_bytes: int = 0
    simulated: bool = False
    names_others: bool = True
    other_devices: tuple[DeviceReading, ...] = ()
    hidden_devices: tuple[tuple[int, int], ...] = ()

    @property
    def requested_bytes(self) -> int | None:
        """Requested bytes, from the observer if the message has the same number rounded."""
        claim, capture = self.recognition.said.requested_bytes, self.capture
        seen = None if capture is None else capture.requested_bytes
        return seen if claim is not None and seen is not None and _prints(seen, claim) else claim

    @property
    def start_bytes(self) -> int | None:
        """Bytes in use on the GPU when the cell started; `None` if unknown."""
        device = self.device
        run = None if device is None else self.cell.on(device.index)
        if device is None or run is None or run["change_bytes"] is None:
            return None
        return device.in_use_bytes - run["change_bytes"]

    def without_error(self) -> Failure:
        """Return this without the error, which would keep all that the failed cell held."""
        recognition = replace(self.recognition, error=_GONE)
        return replace(self, error=_GONE, recognition=recognition)

    @property
    def in_other_process(self) -> bool:
        """Whether the full GPU was another process's, which is not measured here.

        A request that this process's allocator refused is local, whichever error reports it.
        """
        claim, capture = self.recognition.said.requested_bytes, self.capture
        seen = None if capture is None else capture.requested_bytes
        if seen is not None and (claim is None or _prints(seen, claim)):
            return False
        return self.recognition.in_other_process or self._is_of_another_size()

    def _is_of_another_size(self) -> bool:
        """Whether the message is of a GPU that is none of this size."""
        claim, device = self.recognition.said.capacity_bytes, self.device
        capacity = None if device is None or device.capacity_limited else device.capacity_bytes
        return bool(claim and capacity and abs(claim - capacity) > _ALIKE * capacity)

    @property
    def device_index(self) -> int:
        """The GPU that ran out of memory."""
        index = device_that_failed(self.recognition, self.capture)
        if index is None and self.device is not None:
            index = self.device.index
        return index or 0

    def on_one_gpu(self) -> Failure:
        """Return this without a reading or a capture of another GPU."""
        index, capture, device = self.device_index, self.capture, self.device
        return replace(
            self,
            capture=capture if capture is not None and capture.device_index == index else None,
            device=device if device is not None and device.index == index else None,
        )


def _prints(size: int, printed: int) -> bool:
    """Whether PyTorch prints `size` as `printed` was: with two decimals of the largest unit."""
    unit: int = 1 << 10 * ((printed.bit_length() - 1) // 10) if printed else 1
    return 100 * abs(size - printed) <= unit


def device_that_failed(recognition: Recognition, capture: Capture | None) -> int | None:
    """Return the index of the GPU that was full, from the error, else from the capture."""
    if recognition.said.device_index is not None:
        return recognition.said.device_index
    return None if capture is None else capture.device_index


def last_shown() -> int:
    """Return the `id` of the last shown error, to compare errors without a reference."""
    return id(getattr(sys, "last_value", None))
