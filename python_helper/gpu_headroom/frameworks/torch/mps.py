"""PyTorch's allocator on Apple GPUs, which share the host's memory. Declared, not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..imported import imported
from ..view import FrameworkReading, View
from . import private

if TYPE_CHECKING:
    from ...protocol.generated import wire


class TorchMps:
    """Source for PyTorch on MPS: one device, no peak, and no free bytes from a driver."""

    def state(self) -> wire.State:
        """Return whether MPS has been used; never `live` before PyTorch 2.9, which has no flag."""
        if imported("torch") is None or imported("torch.mps") is None:
            return "no_framework"
        if not private.has_mps():
            return "no_gpu"
        return "live" if private.has_used_accelerator() else "not_initialised"

    def read(self) -> tuple[View, ...]:
        """Read the allocator, which is all that PyTorch takes on this system."""
        mps = imported("torch.mps")
        in_use, reserved = mps.current_allocated_memory(), mps.driver_allocated_memory()
        most = getattr(mps, "recommended_max_memory", lambda: None)()
        return (
            View(
                index=0,
                backend="mps",
                name="Apple GPU",
                shared_with_host=True,
                total_bytes=most,
                framework=FrameworkReading(
                    "torch", in_use, max(0, reserved - in_use), source="torch.mps"
                ),
                gpu_source="recommended_max_memory()",
            ),
        )


SOURCE = TorchMps
