"""NVIDIA's management library through ctypes, which neither needs nor creates a CUDA context.

Every call may be missing in an old driver, refused in a container or unsupported on a GPU: then the
result is `None`. Signatures and structures: NVML API reference, "Device Queries".

The library may hold locks during a call, and a forked child would have them held forever, where
PyTorch counts its GPUs by the same library: so a fork waits briefly for the end of a call.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_char, c_uint, c_ulonglong, c_void_p, sizeof
from functools import cache
from typing import Any, NamedTuple

from .. import system
from ..concurrency import threads
from ..frameworks.imported import imported

_NOT_AVAILABLE = 2**64 - 1  # NVML_VALUE_NOT_AVAILABLE
_NOT_SUPPORTED = 3  # NVML_ERROR_NOT_SUPPORTED
_TEXT = 96
_MOST_PROCESSES = 256
# The entry was 24 bytes, and 32 in the headers of some drivers: room for the larger one.
_ENTRY_SIZES = (24, 32)
_TIMEOUT = 10  # NVML_ERROR_TIMEOUT
_PATIENCE_S = 1.0  # a call takes less than a thousandth of that, the first ones some seconds

_calling = threads.Lock()
_stands_still = False


class MemoryV2(ctypes.Structure):
    """`nvmlMemory_v2_t`: the driver's own memory counts as reserved, not as used."""

    _fields_ = (
        ("version", c_uint),
        ("total", c_ulonglong),
        ("reserved", c_ulonglong),
        ("free", c_ulonglong),
        ("used", c_ulonglong),
    )


class MemoryV1(ctypes.Structure):
    """`nvmlMemory_t`."""

    _fields_ = (("total", c_ulonglong), ("free", c_ulonglong), ("used", c_ulonglong))


class GpuMemory(NamedTuple):
    """Bytes of a GPU that programs can have, and those of them that are free."""

    total_bytes: int | None
    free_bytes: int | None


HOST_MEMORY = GpuMemory(None, None)
"""The value for a GPU that has no memory but the host's."""


def load() -> Any:
    """Return the driver's library, preferably the one that `pynvml` has loaded; else `None`."""
    loaded = getattr(imported("pynvml"), "nvmlLib", None)
    if loaded is not None:
        return loaded
    try:
        name = "nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1"
        return ctypes.CDLL(name)
    except OSError:
        return None


class Nvml:
    """The library's calls that are used here, with Python values."""

    def __init__(self, library: Any) -> None:
        self._library = library
        _follow_forks()

    def start(self) -> bool:
        """Start the library; may take seconds where no other program uses the GPU."""
        return self._call("nvmlInit_v2") == 0

    def stop(self) -> None:
        """Undo one start; the library counts them."""
        self._call("nvmlShutdown")

    def handles(self) -> list[Any]:
        """Return the handle of each GPU, in bus order."""
        return self._handles("nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetCount_v2")

    def instances(self, handle: Any) -> list[Any]:
        """Return the handles of a GPU's MIG instances; empty where MIG is off."""
        mode, pending = c_uint(), c_uint()
        if (
            self._call("nvmlDeviceGetMigMode", handle, byref(mode), byref(pending))
            or not mode.value
        ):
            return []
        count = "nvmlDeviceGetMaxMigDeviceCount"
        return self._handles("nvmlDeviceGetMigDeviceHandleByIndex", count, handle)

    def uuid(self, handle: Any) -> str | None:
        """Return the UUID with its prefix, `GPU-` or `MIG-`."""
        return self._text("nvmlDeviceGetUUID", handle)

    def name(self, handle: Any) -> str | None:
        """Return the product's name."""
        return self._text("nvmlDeviceGetName", handle)

    def memory(self, handle: Any) -> GpuMemory | None:
        """Return total and free bytes; `None` where they cannot be true, as sometimes under WSL.

        `HOST_MEMORY` where the driver supports neither call: GB10 of DGX Spark, and Jetson
        (docs.nvidia.com/dgx/dgx-spark/known-issues.html, "nvidia-smi reports memory usage not
        supported"; github.com/leptonai/gpud/pull/1170).
        """
        new = MemoryV2(version=sizeof(MemoryV2) | 2 << 24)
        if self._call("nvmlDeviceGetMemoryInfo_v2", handle, byref(new)) == 0:
            total, free = new.total - new.reserved, new.free
        else:
            old = MemoryV1()
            status = self._call("nvmlDeviceGetMemoryInfo", handle, byref(old))
            if status != 0:
                return HOST_MEMORY if status == _NOT_SUPPORTED else None
            total, free = old.total, old.free
        return GpuMemory(total, free) if 0 <= free <= total < 2**60 else None

    def processes(self, handle: Any) -> dict[int, int | None] | None:
        """Return bytes by process id, of compute and graphics; `None` where the driver hides it.

        The bytes are `None` under WDDM, where Windows manages the memory, not the driver (NVML API
        reference, `nvmlProcessInfo_t.usedGpuMemory`), and under MIG.
        """
        compute = self._processes("nvmlDeviceGetComputeRunningProcesses", handle)
        graphics = self._processes("nvmlDeviceGetGraphicsRunningProcesses", handle)
        return None if compute is None and graphics is None else (graphics or {}) | (compute or {})

    def process_name(self, pid: int) -> str | None:
        """Return the program of a process without its folder."""
        name = self._text("nvmlSystemGetProcessName", c_uint(pid), length=1024)
        return None if not name else name.replace("\\", "/").rsplit("/", 1)[-1]

    def _processes(self, name: str, handle: Any) -> dict[int, int | None] | None:
        for suffix, sizes in (("_v3", _ENTRY_SIZES), ("_v2", _ENTRY_SIZES), ("", (16,))):
            count = c_uint(_MOST_PROCESSES)
            buffer = (c_char * (_MOST_PROCESSES * max(sizes)))()
            status = self._call(name + suffix, handle, byref(count), buffer)
            if status is None:
                continue
            if status != 0:
                return None
            raw = bytes(buffer)
            return next(
                (rows for size in sizes if (rows := _rows(raw, count.value, size)) is not None),
                None,
            )
        return None

    def _handles(self, name: str, counted_by: str, *of: Any) -> list[Any]:
        """Return the handles at all indices, except those that the driver refuses."""
        count, handles = c_uint(), []
        if self._call(counted_by, *of, byref(count)) != 0:
            return []
        for index in range(count.value):
            handle = c_void_p()
            if self._call(name, *of, c_uint(index), byref(handle)) == 0:
                handles.append(handle)
        return handles

    def _text(self, name: str, *arguments: Any, length: int = _TEXT) -> str | None:
        buffer = ctypes.create_string_buffer(length)
        if self._call(name, *arguments, buffer, c_uint(length)) != 0:
            return None
        return buffer.value.decode(errors="replace")

    def _call(self, name: str, *arguments: Any) -> int | None:
        """Call a function; 0 is success, `None` means that this driver has no such function."""
        try:
            function = getattr(self._library, name)
        except AttributeError:
            return None
        if not _calling.acquire(_PATIENCE_S):
            return _TIMEOUT
        try:
            status: int = function(*arguments)
        finally:
            _calling.release()
        return status


def _rows(raw: bytes, count: int, size: int) -> dict[int, int | None] | None:
    """Return bytes by process id from entries of `size` bytes; `None` if the size is wrong."""
    rows: dict[int, int | None] = {}
    for start in range(0, count * size, size):
        pid = int.from_bytes(raw[start : start + 4], sys.byteorder)
        used = int.from_bytes(raw[start + 8 : start + 16], sys.byteorder)
        if pid in (0, 2**32 - 1) or 2**60 <= used < _NOT_AVAILABLE:
            return None
        rows[pid] = None if used == _NOT_AVAILABLE else used
    return rows


@cache
def _follow_forks() -> None:
    """Make forks wait for a call's end, once per process: hooks cannot be unregistered."""
    system.follow_forks(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


def _before_fork() -> None:
    global _stands_still  # noqa: PLW0603  per process, as forks are
    _stands_still = _calling.acquire(threads.LIMIT_S)


def _after_fork() -> None:
    if _stands_still:
        _calling.release()
