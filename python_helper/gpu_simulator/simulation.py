"""Starting and stopping the simulated GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import torch
import torch._dynamo

from .attributes import put_attributes
from .cells import put_cells
from .driver import Library
from .gpu import DEVICE_NAME
from .graphs import put_graphs
from .machine import Machine
from .modes import Modes
from .parallel import put_parallel
from .patches import Patches
from .sizes import format_size
from .storages import NUMBER_BYTES, put_storages
from .surface import put_surface
from .unknown import put_unknown
from .unsupported import put_unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .allocator import CachingAllocator
    from .gpu import GpuState

# torch._dynamo is imported for its side effects: an optimizer imports it at its first step, and
# what it then takes from PyTorch by name must be PyTorch's and not the simulation's.

Compute = Literal["meta", "cpu"]

_active: Simulation | None = None


class Simulation:
    """Simulated GPUs in use, from its construction until `stop` or the end of a `with` block."""

    is_simulated = True
    device_name = DEVICE_NAME

    def __init__(self, capacities: Sequence[int], outside: int, compute: Compute) -> None:
        _refuse_real_gpu()
        _replace_active()
        self.capacities = tuple(capacities)
        self.outside = outside
        self.compute = compute
        self._machine = Machine(capacities, outside, values=compute == "cpu")
        self._modes = Modes(self._machine)
        self._patches = Patches()
        self._start()

    @property
    def capacity(self) -> int:
        """The memory of the first GPU, in bytes."""
        return self.capacities[0]

    @property
    def gpus(self) -> tuple[GpuState, ...]:
        """State of all GPUs as their driver would report it now, in the driver's order."""
        return tuple([gpu.state() for gpu in self._machine.all_gpus])

    @property
    def allocators(self) -> tuple[CachingAllocator, ...]:
        """The allocators of the visible GPUs, as PyTorch counts them."""
        return tuple([gpu.allocator for gpu in self._machine.gpus])

    @property
    def allocator(self) -> CachingAllocator:
        """The allocator of the first visible GPU."""
        return self.allocators[0]

    def be_of(self, major: int, minor: int) -> None:
        """Answer as GPUs of another compute capability than 8.0; sizes are the same."""
        self._machine.capability = major, minor

    def forget_values(self) -> None:
        """Go on with sizes alone, as with `compute="meta"`; single numbers keep their values."""
        self.compute = "meta"
        self._machine.compute = self._machine.shapes
        self._machine.memory.forget_all_values(NUMBER_BYTES)

    def driver(self) -> Library:
        """Return the management library of these GPUs, as NVIDIA's would answer."""
        return Library(self)

    @staticmethod
    def active() -> Simulation | None:
        """Return the simulation that is in use, if any."""
        return _active

    def stop(self) -> None:
        """Leave PyTorch exactly as it was. May be called again.

        Tensors that are still on the GPU stay alive as plain "meta" tensors: their values, if
        they had any, are gone.
        """
        global _active  # noqa: PLW0603 -- one process has one simulation
        if _active is not self:
            return
        _active = None
        self._machine.present = False
        self._modes.stop()
        self._patches.restore()
        self._machine.memory.forget()

    def __enter__(self) -> Simulation:  # noqa: PYI034 -- typing.Self is 3.11
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.stop()

    def __repr__(self) -> str:
        state = "" if _active is self else ", stopped"
        count = len(self.capacities)
        noun = "a GPU" if count == 1 else f"{count} GPUs"
        capacity = "+".join(map(format_size, self.capacities))
        sizes = f"capacity={capacity}, outside={format_size(self.outside)}"
        return f"<Simulation of {noun}: {sizes}, compute={self.compute!r}{state}>"

    def _start(self) -> None:
        global _active  # noqa: PLW0603 -- one process has one simulation
        try:
            put_surface(self._patches, self._machine)
            put_parallel(self._patches, self._machine)
            put_graphs(self._patches, self._machine)
            put_attributes(self._patches, self._machine)
            put_storages(self._patches, self._machine)
            put_unsupported(self._patches, self._machine.holds)
            put_unknown(self._patches)
            put_cells(self._patches, self._machine)
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
    in_use = sum(gpu.allocator.allocated for gpu in _active._machine.all_gpus)  # noqa: SLF001 -- of the same class's module
    if in_use:
        raise RuntimeError(
            f"A simulated GPU is in use already, with {format_size(in_use)} allocated on it. "
            "Call stop() on it first; the tensors on it then lose their values."
        )
    _active.stop()
