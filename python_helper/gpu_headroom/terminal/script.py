"""GPU readings and memory use in a plain script, by the names of its main module."""

from __future__ import annotations

import sys
import time
import uuid
from typing import TYPE_CHECKING

from ..concurrency import threads
from ..readings.snapshot import DeviceSnapshot
from ..readings.sources import Sources
from ..text.messages import say
from .tables import heads, size, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..protocol.generated import wire

TEXTS = {
    "summary.processes": "GPU {index}, processes:",
    "summary.processes_hidden": "GPU {index}: which processes use it is not shown here.",
    "summary.process_list": "PID | Memory | Name",
}


def read() -> DeviceSnapshot:
    """Read the GPUs of this process and its host memory once."""
    sources = Sources(failed=lambda *_: None)
    sources.prepare()
    reading = sources.read()
    return DeviceSnapshot(0, time.time(), reading.state, reading.devices, reading.host)


def holders() -> wire.Holders:
    """Measure what uses GPU memory, by the names of the main module.

    Raises `RuntimeError` in free-threaded Python.
    """
    from ..concurrency.turns import LONG_S, Turn
    from ..holders.account import take
    from ..holders.no_shell import shell_of
    from ..readings.nvml import processes

    threads.stay_out()
    snapshot = read()
    return take(shell_of(vars(sys.modules["__main__"])), snapshot, Turn(LONG_S)).as_wire(
        uuid.uuid4().hex,
        None,
        processes={device.index: processes(device) for device in snapshot.devices},
    )


def list_processes(index: int, processes: Sequence[wire.Process] | None) -> Iterator[str]:
    """Yield lines that list the other processes on a GPU."""
    if processes is None:
        yield say("summary.processes_hidden", TEXTS, index=index)
        return
    rows = [
        (
            "?" if process["pid"] is None else str(process["pid"]),
            size(process["bytes"]),
            process["name"] or "?",
        )
        for process in processes
    ]
    if rows:
        yield say("summary.processes", TEXTS, index=index)
        yield table(heads("summary.process_list", TEXTS), rows, right=9)
