"""An account with all that the session knows besides: processes, and where memory was made."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..concurrency.turns import Disturbed
from ..frameworks.torch.private import is_opaque
from ..text.messages import message
from .account import take

if TYPE_CHECKING:
    from ..concurrency.turns import Turn
    from ..protocol import wire
    from ..session.session import Session


def measure(session: Session, request_id: str | None, turn: Turn) -> wire.Holders:
    """Measure who holds what now. Call between cells."""
    from ..readings.nvml import processes

    if session.poisoned is not None:
        return not_measured(session, request_id, session.poisoned)
    if is_opaque():
        return not_measured(session, request_id, message("holders.unreadable"))
    if turn.unwelcome is not None:
        why = message("holders.beside_unasked", name=turn.unwelcome)
        return not_measured(session, request_id, why)
    snapshot = session.sampler.measure()
    devices = () if snapshot is None else snapshot.devices
    recording = session.recording
    places = {} if recording is None else recording.places(session.shell, session.ledger.runs())
    last = session.ledger.current()
    try:
        account = take(session.shell, snapshot, turn)
    except Disturbed:
        return not_measured(session, request_id, message("holders.disturbed"))
    return account.as_wire(
        session.life_id,
        request_id,
        execution_count=None if last is None else last.execution_count,
        recording=recording is not None and recording.on,
        processes={each.index: processes(each) for each in devices},
        made=lambda device_index, key: places.get((device_index, key)),
    )


def not_measured(session: Session, request_id: str | None, why: wire.Message) -> wire.Holders:
    """Return what is told of a measurement that failed, or must not be made."""
    return {
        "type": "holders",
        "life_id": session.life_id,
        "request_id": request_id,
        "time_s": time.time(),
        "duration_s": 0.0,
        "complete": False,
        "execution_count": None,
        "recording": False,
        "devices": [],
        "message": why,
    }
