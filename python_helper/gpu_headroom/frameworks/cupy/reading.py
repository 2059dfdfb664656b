"""CuPy's memory pool, and RMM's statistics where they are on. Declared, not run.

CuPy reports on the current device of the calling thread, and switching devices would be a side
effect. So each reading covers one device, the current one of the reading thread; the others keep
their last values. RMM is read only if the user has turned its statistics on.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_int, c_uint
from typing import TYPE_CHECKING, Any

from ...text.messages import message
from ..imported import imported
from ..view import Cache, FrameworkReading, View

if TYPE_CHECKING:
    from ...protocol.generated import wire

TEXTS = {
    "item.framework_cache.cupy": "Unused blocks of CuPy's pool",
    "item.framework_cache.cupy.cost": "Taken again when CuPy needs them.",
}


class CuPy:
    """Source for CuPy; a device's context may also come from another framework in the kernel."""

    def __init__(self) -> None:
        self._last: dict[int, View] = {}

    def state(self) -> wire.State:
        """Return whether a device that CuPy could use has a context in this process."""
        if imported("cupy") is None or imported("cupy.cuda") is None:
            return "no_framework"
        return "live" if contexts() else "not_initialised"

    def read(self) -> tuple[View, ...]:
        """Read this thread's current device if CuPy has taken memory on it; keep the others."""
        cupy = imported("cupy")
        index: int = cupy.cuda.runtime.getDevice()
        framework = _reading(cupy) if index in contexts() else None
        if framework is not None and (
            index in self._last or framework.in_use_bytes or framework.cached_bytes
        ):
            rocm = bool(getattr(cupy.cuda.runtime, "is_hip", False))
            self._last[index] = View(
                index=index, backend="rocm" if rocm else "cuda", framework=framework
            )
        return tuple(self._last.values())

    def caches(self) -> tuple[Cache, ...]:
        """Return the unused blocks of the pool, if any."""
        pool = imported("cupy").get_default_memory_pool()
        unused = max(0, pool.total_bytes() - pool.used_bytes())
        title = message("item.framework_cache.cupy", TEXTS)
        cost = message("item.framework_cache.cupy.cost", TEXTS)
        clear = "_cupy.get_default_memory_pool().free_all_blocks()"
        cache = Cache(title, cost, pool.free_all_blocks, clear, {"cupy": unused})
        return (cache,) if unused else ()


SOURCE = CuPy


def contexts() -> frozenset[int]:
    """Return the devices on which this process has a primary context, in CUDA's order.

    Calls the driver API itself, and only if a framework has loaded it: the call creates no context,
    and fails until other code has initialized the API (CUDA driver API reference, "Primary Context
    Management").
    """
    library = _driver_api()
    devices: set[int] = set()
    index = 0
    while library is not None:
        flags, active = c_uint(), c_int()
        if library.cuDevicePrimaryCtxGetState(c_int(index), byref(flags), byref(active)) != 0:
            break
        devices |= {index} if active.value else set()
        index += 1
    return frozenset(devices)


def _driver_api() -> Any:
    """Return the driver API if it is loaded in this process; never load it."""
    mode = getattr(os, "RTLD_NOLOAD", None)  # absent on Windows
    if mode is None:
        return None
    try:
        return ctypes.CDLL("libcuda.so.1", mode=mode)
    except OSError:
        return None


def _reading(cupy: Any) -> FrameworkReading:
    """Sum CuPy's own pool and RMM's counts; each is empty where the other allocates."""
    pool = cupy.get_default_memory_pool()
    in_use = pool.used_bytes()
    cached: int | None = max(0, pool.total_bytes() - in_use)
    peak: int | None = None
    source = "get_default_memory_pool()"
    statistics = imported("rmm.statistics")
    counted = None if statistics is None else statistics.get_statistics()
    if counted is not None:
        in_use += counted.current_bytes
        source += " + rmm.statistics"
        cached = None  # RMM's statistics do not include the unused memory of its pool
        peak = counted.peak_bytes if in_use == counted.current_bytes else None
    return FrameworkReading("cupy", in_use, cached, peak, source=source)
