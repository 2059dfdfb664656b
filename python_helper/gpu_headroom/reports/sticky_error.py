"""The report of an error that has stopped CUDA: its text, and that only a restart helps.

It has no measurements, and is made without access to the GPU.
"""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Any, cast

from ..advice.remedy import Offer, Shown
from ..inspection.kinds import name_of
from ..oom.failing_line import failing_line
from ..text.messages import message
from .model import VERSION, BuiltReport
from .versions import versions

if TYPE_CHECKING:
    from ..cells.runs import CellRun
    from ..errors.sticky_error import Fault
    from ..protocol.generated.wire import Message, Report
    from ..readings.snapshot import DeviceSnapshot

_NUMBERS = ("requested", "available", "in_use", "cached", "outside", "traceback")


def build(
    fault: Fault,
    cell: CellRun,
    latest: DeviceSnapshot | None,
    helper_id: str,
    stopped: Message | None,
) -> BuiltReport:
    """Return the report of a fault; `stopped` says since when CUDA has not answered."""
    devices = () if latest is None else latest.devices
    device = devices[0] if len(devices) == 1 else None
    since_s = stopped["params"]["since_s"] if stopped else None
    again = isinstance(since_s, float) and cell.start_s > since_s
    evidence = "sticky_error.evidence_again" if again else "sticky_error.evidence"
    frameworks = device.frameworks if device is not None else ()
    report: dict[str, Any] = {
        "version": VERSION,
        "report_id": uuid.uuid4().hex,
        "helper_id": helper_id,
        "time_s": time.time(),
        "simulated": device is not None and device.simulated,
        "sticky_error": True,
        "framework": frameworks[0].name if frameworks else "torch",
        "error_name": name_of(type(fault.error)),
        "cell_id": cell.cell_id,
        "execution_count": cell.execution_count,
        "line": failing_line(fault.error, cell),
        "device_index": device.index if device is not None else None,
        "device_name": device.name if device is not None else None,
        "capacity_bytes": device.capacity_bytes if device is not None else None,
        **{f"{name}_bytes": None for name in _NUMBERS},
        "parts": [],
        "traceback_variables": [],
        "holders": [],
        "cause": {
            "rule": "sticky-error",
            "claim": message(fault.claim, said=fault.said),
            "evidence": message(evidence),
            "bytes": None,
        },
        "further_causes": [],
        "fits_after_free": None,
        "remedies": [
            Offer(
                id="restart",
                title=message("remedy.restart"),
                note=message("remedy.restart.note"),
                shown=Shown(kind="restart"),
            ).remedy
        ],
        "details": [],
        "versions": versions(),
        "looking": False,
        "worker": None,
        "origin": None,
        "also_failed": 0,
        "measured": "kernel",
    }
    return BuiltReport(cast("Report", report), {})
