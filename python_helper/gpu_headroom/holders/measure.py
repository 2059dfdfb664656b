"""An account with all that is known besides: processes, and where memory was made."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..concurrency.turns import Disturbed
from ..frameworks.torch.private import is_opaque
from ..text.messages import message
from .account import take

if TYPE_CHECKING:
    from typing import Protocol

    from ..cells.life import Life
    from ..concurrency.turns import Turn
    from ..protocol.generated import wire
    from .allocation_site import Recording

    class Measured(Life, Protocol):
        """One helper, with the values that a measurement needs."""

        recording: Recording | None

        def look_further(self) -> None:
            """Complete the last report, too."""


def measure(life: Measured, request_id: str | None, turn: Turn) -> wire.Holders:
    """Measure who holds what now. Call between cells."""
    from ..readings.nvml import processes

    if life.cuda.stopped is not None:
        return not_measured(life.life_id, request_id, life.cuda.stopped)
    if is_opaque():
        return not_measured(life.life_id, request_id, message("holders.unreadable"))
    if turn.blocked_by is not None:
        why = message("holders.beside_unasked", name=turn.blocked_by)
        return not_measured(life.life_id, request_id, why)
    if turn.asked:
        life.look_further()
    snapshot = life.sampler.measure()
    devices = () if snapshot is None else snapshot.devices
    recording = life.recording
    sites = {} if recording is None else recording.sites(life.shell, life.ledger.runs())
    last = life.ledger.current()
    try:
        account = take(life.shell, snapshot, turn)
    except Disturbed:
        return not_measured(life.life_id, request_id, message("holders.disturbed"))
    return account.as_wire(
        life.life_id,
        request_id,
        execution_count=None if last is None else last.execution_count,
        recording=recording is not None and recording.on,
        processes={device.index: processes(device) for device in devices},
        site_of=lambda device_index, key: sites.get((device_index, key)),
    )


def not_measured(life_id: str, request_id: str | None, why: wire.Message) -> wire.Holders:
    """Return the message for a measurement that failed, or is not possible now."""
    return {
        "type": "holders",
        "life_id": life_id,
        "request_id": request_id,
        "time_s": time.time(),
        "duration_s": 0.0,
        "complete": False,
        "execution_count": None,
        "recording": False,
        "devices": [],
        "message": why,
    }
