"""Owners of other processes' memory: processes that this kernel started, and other notebooks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .. import system
from ..readings.nvml import processes

if TYPE_CHECKING:
    from typing import Literal

    from ..protocol.generated.wire import Process
    from ..readings.snapshot import DeviceReading

MUCH_OUTSIDE = 0.2
"""Share of a GPU; less than that is this process's own context, and is not looked up."""
_PROC = Path("/proc")
_MOST_ANCESTORS = 20
_MOST_PROCESSES = 100


class Others(NamedTuple):
    """The other processes on a GPU, the largest first, and the bytes of two kinds of them.

    `started_bytes` are of processes that this kernel started, `kernels_bytes` of other notebooks'
    kernels. Empty where the driver or the system reports nothing. `hidden`: on Windows, the memory
    of single processes is not available.
    """

    processes: tuple[Process, ...] = ()
    started_bytes: int = 0
    kernels_bytes: int = 0
    hidden: bool = False

    def whose(self, size: int) -> Literal["hidden", "started", "notebooks", "programs"]:
        """Return which kind of process has most of `size` bytes of others."""
        if self.hidden:
            return "hidden"
        if 2 * self.started_bytes >= size:
            return "started"
        return "notebooks" if 2 * self.kernels_bytes >= size else "programs"


NO_OTHERS = Others()


def others_on(device: DeviceReading | None) -> Others:
    """Read the processes on a GPU from the driver, and their origin from the system."""
    gpu_processes = (None if device is None else processes(device)) or []
    started = kernels = 0
    for process in gpu_processes[:_MOST_PROCESSES]:
        pid, size = process["pid"], process["bytes"] or 0
        if pid is None:
            continue
        if _is_started_here(pid):
            started += size
        elif _is_kernel(pid):
            kernels += size
    hidden = device is not None and device.others_bytes is None and system.has_wddm()
    return Others(tuple(gpu_processes), started, kernels, hidden)


def _is_started_here(pid: int) -> bool:
    """Whether a process is a child of this one, or of its children."""
    own = os.getpid()
    for _ in range(_MOST_ANCESTORS):
        parent = _parent(pid)
        if parent == own:
            return True
        if parent is None or parent <= 1:
            return False
        pid = parent
    return False


def _parent(pid: int) -> int | None:
    """Return the parent by proc_pid_stat(5): the name in brackets may hold anything."""
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
        return int(stat.rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None


def _is_kernel(pid: int) -> bool:
    """Whether a process was started as ipykernel's: others' arguments may not be readable."""
    try:
        words = (_PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(word.startswith(b"ipykernel") for word in words) or (
        b"-f" in words[:-1]
        and any(b"/kernel-" in word and word.endswith(b".json") for word in words)
    )
