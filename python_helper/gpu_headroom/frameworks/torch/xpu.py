"""PyTorch's allocator on Intel GPUs. Declared, not run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..imported import imported
from . import private
from .cuda import allocator_reading, unused_view

if TYPE_CHECKING:
    from ...protocol.generated import wire
    from ..view import View


class TorchXpu:
    """Source for PyTorch on XPU."""

    def state(self) -> wire.State:
        """Return whether XPU is initialized, from flags alone."""
        xpu = imported("torch.xpu")
        if imported("torch") is None or xpu is None:
            return "no_framework"
        if not private.has_statistics("xpu"):
            return "no_gpu"
        return "live" if xpu.is_initialized() else "not_initialised"

    def read(self) -> tuple[View, ...]:
        """Read each device that PyTorch has taken memory on; no driver reports free bytes yet."""
        torch = imported("torch")
        views = []
        for index in range(torch.xpu.device_count()):
            reading = allocator_reading(private.statistics(index, "xpu"))
            if not reading.peak_in_use_bytes:
                continue
            unused = unused_view(torch.xpu.get_device_properties(index), index, "xpu")
            views.append(replace(unused, framework=reading))
        return tuple(views)


SOURCE = TorchXpu
