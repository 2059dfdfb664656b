"""PyTorch's allocator on Intel GPUs. Declared, not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..imported import imported
from ..view import View
from . import private
from .cuda import PROPERTIES, allocator_reading, properties

if TYPE_CHECKING:
    from ...protocol import wire
    from .cuda import Properties


class TorchXpu:
    """Source for PyTorch on XPU."""

    def __init__(self) -> None:
        self._properties: dict[int, Properties] = {}

    def state(self) -> wire.State:
        """Say whether XPU is up, from flags alone."""
        xpu = imported("torch.xpu")
        if imported("torch") is None or xpu is None:
            return "no_framework"
        if not private.has_statistics("xpu"):
            return "no_gpu"
        return "live" if xpu.is_initialized() else "not_initialised"

    def read(self) -> tuple[View, ...]:
        """Read each device that PyTorch has taken memory on; free comes from no driver yet."""
        torch = imported("torch")
        found = []
        for index in range(torch.xpu.device_count()):
            reading = allocator_reading(private.statistics(index, "xpu"))
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
                    card_source=PROPERTIES,
                )
            )
        return tuple(found)
