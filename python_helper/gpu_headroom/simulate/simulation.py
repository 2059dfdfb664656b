"""Starting and stopping the simulated GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import torch
import torch._dynamo

from .allocator import CachingAllocator
from .attributes import put_attributes
from .card import Card
from .compiling import put_compile
from .modes import Modes
from .patches import Patches
from .sizes import format_size
from .storages import put_storages
from .surface import DEVICE_NAME, put_surface

if TYPE_CHECKING:
    from types import TracebackType

# torch._dynamo is imported for its side effects: an optimizer imports it at its first step, and
# what it then takes from PyTorch by name must be PyTorch's and not the simulation's.

Compute = Literal["meta", "cpu"]

_active: Simulation | None = None


class Simulation:
    """A simulated GPU in use, from its construction until `stop` or the end of a `with` block."""

    is_simulated = True
    device_name = DEVICE_NAME

    def __init__(self, capacity: int, outside: int, compute: Compute) -> None:
        _refuse_real_gpu()
        _replace_active()
        self.capacity = capacity
        self.outside = outside
        self.compute = compute
        self.allocator = CachingAllocator(capacity, outside, oom_error=torch.OutOfMemoryError)
        self._card = Card(self.allocator, values=compute == "cpu")
        self._modes = Modes(self._card)
        self._patches = Patches()
        self._start()

    @staticmethod
    def active() -> Simulation | None:
        """Return the simulation that is in use, if any."""
        return _active

    def stop(self) -> None:
        """Leave PyTorch exactly as it was. May be called again.

        Tensors that are still on the card stay alive as plain "meta" tensors: their values, if
        they had any, are gone.
        """
        global _active  # noqa: PLW0603 -- one process has one simulated GPU
        if _active is not self:
            return
        _active = None
        self._card.present = False
        self._modes.stop()
        self._patches.restore()
        self._card.memory.forget()

    def __enter__(self) -> Simulation:  # noqa: PYI034 -- typing.Self is 3.11
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop."""
        self.stop()

    def __repr__(self) -> str:
        state = "" if _active is self else ", stopped"
        sizes = f"capacity={format_size(self.capacity)}, outside={format_size(self.outside)}"
        return f"<Simulation of a GPU: {sizes}, compute={self.compute!r}{state}>"

    def _start(self) -> None:
        global _active  # noqa: PLW0603 -- one process has one simulated GPU
        try:
            put_surface(self._patches, self._card)
            put_attributes(self._patches, self._card)
            put_storages(self._patches, self._card)
            put_compile(self._patches)
            self._modes.start(self._patches)
        except BaseException:
            self._modes.stop()
            self._patches.restore()
            raise
        _active = self


def _refuse_real_gpu() -> None:
    if _active is None and torch.cuda.is_available():
        name = torch.cuda.get_device_name(0) if torch.cuda.is_initialized() else "a CUDA device"
        raise RuntimeError(
            f"PyTorch sees a real GPU here ({name}), and a simulated one would hide it. "
            'Start Python with CUDA_VISIBLE_DEVICES="" to simulate all the same.'
        )


def _replace_active() -> None:
    if _active is None:
        return
    in_use = _active.allocator.allocated
    if in_use:
        raise RuntimeError(
            f"A simulated GPU is in use already, with {format_size(in_use)} allocated on it. "
            "Call stop() on it first; the tensors on it then lose their values."
        )
    _active.stop()
