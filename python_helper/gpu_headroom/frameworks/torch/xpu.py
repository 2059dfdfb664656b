"""PyTorch's allocator on Intel GPUs. Declared, not run."""

# ruff: noqa: SLF001 -- torch._C has the calls that start nothing

from __future__ import annotations

from typing import TYPE_CHECKING

from ..imported import imported
from ..view import View
from .cuda import allocator_reading, properties

if TYPE_CHECKING:
    from ...protocol import wire
    from .cuda import Properties


class TorchXpu:
    """Source for PyTorch on XPU."""

    def __init__(self) -> None:
        self._properties: dict[int, Properties] = {}

    def state(self) -> wire.State:
        """Say whether XPU is up, from flags alone."""
        torch, xpu = imported("torch"), imported("torch.xpu")
        if torch is None or xpu is None:
            return "no_framework"
        if not hasattr(torch._C, "_xpu_memoryStats"):
            return "no_gpu"
        return "live" if xpu.is_initialized() else "not_initialised"

    def read(self) -> tuple[View, ...]:
        """Read each device that PyTorch has taken memory on; free comes from no driver yet."""
        torch = imported("torch")
        found = []
        for index in range(torch.xpu.device_count()):
            reading = allocator_reading(torch._C._xpu_memoryStats(index))
            if not reading.peak_in_use_bytes:
                continue
            known = self._properties.get(index)
            if known is None:
                known = properties(torch.xpu.get_device_properties(index))
                self._properties[index] = known
            found.append(
                View(
                    index=index,
                    backend="xpu",
                    name=known.name,
                    uuid=known.uuid,
                    shared_with_host=known.integrated,
                    total_bytes=known.total_bytes,
                    framework=reading,
                )
            )
        return tuple(found)


def source() -> TorchXpu:
    """Return the source."""
    return TorchXpu()
