"""A simulated NVIDIA management library, which reports the simulated GPUs.

It has the functions that `readings/nvml_library.py` calls, with the same C arguments, and counts
the calls. Like the real one it creates no context, and works before any program uses a GPU.
"""

from __future__ import annotations

import os
import struct
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol

from .refusal import OTHER_PROCESS_ID

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .gpu import GpuState

    Listing = Literal["listed", "unmeasured", "hidden"]

SUCCESS, INVALID_ARGUMENT, NOT_SUPPORTED = 0, 2, 3
_NOT_AVAILABLE = 2**64 - 1
_OTHER_NAME = b"/usr/bin/simulated-program"


class Gpus(Protocol):
    """Interface for the source of the GPUs, a simulation."""

    @property
    def gpus(self) -> Sequence[GpuState]:
        """The GPUs as they are now."""


class Library:
    """The library of a simulated driver; a missing function raises `AttributeError`.

    `processes` sets what it reports of processes: all, only their ids (as under MIG and Windows),
    or that the query is not supported.
    """

    def __init__(self, source: Gpus, processes: Listing = "listed") -> None:
        self.calls: Counter[str] = Counter()
        self._source = source
        self._processes = processes

    def __getattr__(self, name: str) -> Callable[..., int]:
        function = _FUNCTIONS.get(name)
        if function is None:
            raise AttributeError(name)
        return partial(self._counted, name, function)

    def _counted(self, name: str, function: Callable[..., int], *arguments: Any) -> int:
        self.calls[name] += 1
        return function(self, *arguments)

    def gpu(self, handle: Any) -> GpuState:
        """Return the GPU of a handle as it is now."""
        index: int = handle.value - 1
        return self._source.gpus[index]

    @property
    def count(self) -> int:
        """Return the number of GPUs of the machine, hidden ones included."""
        return len(self._source.gpus)

    def entries(self, gpu: GpuState) -> list[tuple[int, int]] | None:
        """Return ids and bytes of the processes on a GPU; `None` where they are hidden."""
        if self._processes == "hidden":
            return None
        others = gpu.outside - gpu.context
        own = [(os.getpid(), gpu.context + gpu.reserved)] if gpu.has_context else []
        found = own + ([(OTHER_PROCESS_ID + gpu.index, others)] if others else [])
        unmeasured = self._processes == "unmeasured"
        return [(pid, _NOT_AVAILABLE if unmeasured else used) for pid, used in found]


def _count(library: Library, count: Any) -> int:
    count._obj.value = library.count  # noqa: SLF001 -- what `byref` refers to
    return SUCCESS


def _handle(library: Library, index: Any, handle: Any) -> int:
    if index.value >= library.count:
        return INVALID_ARGUMENT
    handle._obj.value = index.value + 1  # noqa: SLF001 -- what `byref` refers to
    return SUCCESS


def _uuid(library: Library, handle: Any, buffer: Any, _length: Any) -> int:
    buffer.value = f"GPU-{library.gpu(handle).uuid}".encode()
    return SUCCESS


def _name(library: Library, handle: Any, buffer: Any, _length: Any) -> int:
    buffer.value = library.gpu(handle).name.encode()
    return SUCCESS


def _memory(library: Library, handle: Any, memory: Any) -> int:
    gpu, found = library.gpu(handle), memory._obj  # noqa: SLF001 -- what `byref` refers to
    found.total, found.reserved = gpu.capacity, 0
    found.used = min(gpu.capacity, gpu.outside + gpu.reserved)
    found.free = found.total - found.used
    return SUCCESS


def _processes(computes: bool, library: Library, handle: Any, count: Any, buffer: Any) -> int:
    """Write the processes that compute on a GPU to `buffer`; there are none that draw."""
    entries = library.entries(library.gpu(handle))
    if entries is None:
        return NOT_SUPPORTED
    rows = [struct.pack("@IQII", pid, used, 0, 0) for pid, used in entries if computes]
    count._obj.value = len(rows)  # noqa: SLF001 -- what `byref` refers to
    buffer[: len(b"".join(rows))] = b"".join(rows)
    return SUCCESS


def _process_name(_library: Library, pid: Any, buffer: Any, _length: Any) -> int:
    if pid.value < OTHER_PROCESS_ID:
        return INVALID_ARGUMENT
    buffer.value = _OTHER_NAME
    return SUCCESS


_FUNCTIONS: dict[str, Callable[..., int]] = {
    "nvmlInit_v2": lambda _library: SUCCESS,
    "nvmlShutdown": lambda _library: SUCCESS,
    "nvmlDeviceGetCount_v2": _count,
    "nvmlDeviceGetHandleByIndex_v2": _handle,
    "nvmlDeviceGetUUID": _uuid,
    "nvmlDeviceGetName": _name,
    "nvmlDeviceGetMemoryInfo_v2": _memory,
    "nvmlDeviceGetMigMode": lambda *_: NOT_SUPPORTED,
    "nvmlDeviceGetComputeRunningProcesses_v3": partial(_processes, True),
    "nvmlDeviceGetGraphicsRunningProcesses_v3": partial(_processes, False),
    "nvmlSystemGetProcessName": _process_name,
}
