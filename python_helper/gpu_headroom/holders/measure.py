"""An account with all that is known besides: processes, and where memory was made."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..concurrency.turns import ConcurrentUseError
from ..frameworks.torch.private import is_opaque
from ..text.messages import message
from .account import take

if TYPE_CHECKING:
    from typing import Protocol

    from ..cells.helper import Helper
    from ..concurrency.turns import Turn
    from ..protocol.generated import wire
    from .allocation_site import Recording

    class Measured(Helper, Protocol):
        """One helper, with the values that a measurement needs."""

        recording: Recording | None

        def look_further(self) -> None:
            """Complete the last report, too."""


def measure(helper: Measured, request_id: str | None, turn: Turn) -> wire.Holders:
    """Measure who holds what now. Call between cells."""
    from ..readings.nvml import processes

    if helper.cuda.stopped is not None:
        return not_measured(helper.helper_id, request_id, helper.cuda.stopped)
    if is_opaque():
        return not_measured(helper.helper_id, request_id, message("holders.unreadable"))
    if turn.blocked_by is not None:
        why = message("holders.beside_unasked", name=turn.blocked_by)
        return not_measured(helper.helper_id, request_id, why)
    if turn.asked:
        helper.look_further()
    snapshot = helper.sampler.measure()
    devices = () if snapshot is None else snapshot.devices
    recording = helper.recording
    sites = {} if recording is None else recording.sites(helper.shell, helper.ledger.runs())
    last = helper.ledger.current()
    try:
        account = take(helper.shell, snapshot, turn)
    except ConcurrentUseError:
        return not_measured(helper.helper_id, request_id, message("holders.disturbed"))
    return account.as_wire(
        helper.helper_id,
        request_id,
        execution_count=None if last is None else last.execution_count,
        recording=recording is not None and recording.on,
        processes={device.index: processes(device) for device in devices},
        site_of=lambda device_index, key: sites.get((device_index, key)),
    )


def not_measured(helper_id: str, request_id: str | None, why: wire.Message) -> wire.Holders:
    """Return the message for a measurement that failed, or is not possible now."""
    return {
        "type": "holders",
        "helper_id": helper_id,
        "request_id": request_id,
        "time_s": time.time(),
        "duration_s": 0.0,
        "complete": False,
        "execution_count": None,
        "recording": False,
        "devices": [],
        "message": why,
    }
