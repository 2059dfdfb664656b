"""PyTorch's allocator on Apple GPUs, which share the host's memory. Declared, not run."""

# ruff: noqa: SLF001 -- torch._C has the calls that start nothing

from __future__ import annotations

from typing import TYPE_CHECKING

from ..imported import imported
from ..view import FrameworkReading, View

if TYPE_CHECKING:
    from ...protocol import wire


class TorchMps:
    """Source for PyTorch on MPS: one device, no peak, no driver that tells free."""

    def state(self) -> wire.State:
        """Say whether MPS has been used; PyTorch that cannot tell (before 2.9) is not asked."""
        torch = imported("torch")
        if torch is None or imported("torch.mps") is None:
            return "no_framework"
        if not getattr(torch._C, "_has_mps", False):
            return "no_gpu"
        used = getattr(torch._C, "_accelerator_isAllocatorInitialized", None)
        return "live" if used is not None and used() else "not_initialised"

    def read(self) -> tuple[View, ...]:
        """Read the allocator, which on this system is all that PyTorch takes."""
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
                    "torch", in_use, max(0, reserved - in_use), None, None, None
                ),
            ),
        )


def source() -> TorchMps:
    """Return the source."""
    return TorchMps()
