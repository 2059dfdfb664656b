"""PyTorch's CUDA allocator (ROCm has the same names: declared, not run).

Reads through private names (`private.py`), as several public ones initialize CUDA.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..imported import imported, simulation
from ..view import FrameworkReading, View
from . import private

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...protocol.generated import wire
    from ..view import Backend, Gpu


class TorchCuda:
    """Source for PyTorch on CUDA and ROCm."""

    def __init__(self) -> None:
        self._unused: dict[tuple[int, bool], View] = {}
        self._last: dict[tuple[int, bool], View] = {}

    def state(self) -> wire.State:
        """Return whether CUDA is initialized, from flags alone; initializes nothing."""
        torch = imported("torch")
        cuda = imported("torch.cuda")
        if torch is None or cuda is None:
            return "no_framework"
        if cuda.is_initialized():
            return "live" if private.has_statistics() else "no_gpu"
        if simulation() is not None:
            return "not_initialised"
        version = torch.version
        built_for_gpu = getattr(version, "cuda", None) or getattr(version, "hip", None)
        return "not_initialised" if built_for_gpu else "no_gpu"

    def read(self) -> tuple[View, ...]:
        """Read each device that already has a context; creates none.

        The view of an unchanged device is the same object as before.
        """
        torch = sys.modules["torch"]
        devices = range(private.device_count())
        return tuple(
            [self._read(torch, device) for device in devices if private.has_context(device)]
        )

    def _read(self, torch: Any, index: int) -> View:
        key = index, simulation() is not None
        unused = self._unused.get(key)
        if unused is None:
            backend: Backend = "rocm" if getattr(torch.version, "hip", None) else "cuda"
            properties = torch.cuda.get_device_properties(index)
            unused = self._unused[key] = unused_view(properties, index, backend, simulated=key[1])
        fraction = private.memory_fraction(index)
        limit = None
        if fraction is not None and fraction < 1 and unused.total_bytes is not None:
            limit = int(unused.total_bytes * fraction)
        framework = allocator_reading(private.statistics(index))
        last = self._last.get(key)
        if last is None or last.limit_bytes != limit or not framework.equals(last.framework):
            last = self._last[key] = replace(
                unused,
                limit_bytes=limit,
                framework=framework,
                ask_gpu=partial(_gpu, torch, index),
                limit_source=private.LIMIT,
            )
        return last


def unused_view(properties: Any, index: int, backend: Backend, *, simulated: bool = False) -> View:
    """Return the constant facts of a device; PyTorch has the UUID since about 2.4."""
    uuid = getattr(properties, "uuid", None)
    return View(
        index=index,
        backend=backend,
        name=getattr(properties, "name", None),
        uuid=None if uuid is None else str(uuid),
        simulated=simulated,
        shared_with_host=bool(getattr(properties, "is_integrated", False)),
        total_bytes=getattr(properties, "total_memory", None),
        gpu_source="get_device_properties()",
    )


def allocator_reading(stats: Mapping[str, Any]) -> FrameworkReading:
    """Return a reading from the nested statistics of a PyTorch caching allocator."""
    in_use = _bytes(stats, "allocated_bytes", "current") or 0
    reserved = _bytes(stats, "reserved_bytes", "current")
    return FrameworkReading(
        name="torch",
        in_use_bytes=in_use,
        cached_bytes=None if reserved is None else max(0, reserved - in_use),
        peak_in_use_bytes=_bytes(stats, "allocated_bytes", "peak"),
        alloc_retries=stats.get("num_alloc_retries"),
        ooms=stats.get("num_ooms"),
        allocated_total_bytes=_bytes(stats, "allocated_bytes", "allocated"),
        returned_total_bytes=_bytes(stats, "reserved_bytes", "freed"),
        inactive_split_bytes=_bytes(stats, "inactive_split_bytes", "current"),
    )


def _bytes(stats: Mapping[str, Any], key: str, figure: str) -> int | None:
    value: int | None = stats.get(key, {}).get("all", {}).get(figure)
    return value


def _gpu(torch: Any, index: int) -> Gpu:
    """Return free and total bytes of the GPU from its driver; `None` where it refuses."""
    try:
        free, total = torch.cuda.mem_get_info(index)
    except (RuntimeError, AttributeError):
        return None, None
    return free, total
