"""The simulated machine: its GPUs, which of them the process sees, and the current one."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Any

import torch

from .gpu import SimGpu, ThreadState
from .memory import Memory
from .shapes import Shapes
from .torch_internals import device_index, thread_state, without_torch_function
from .values import Values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .blocks import Block

_VISIBLE = "CUDA_VISIBLE_DEVICES"

_UNREAD = object()


class Machine:
    """All simulated GPUs, and the memory on them."""

    def __init__(self, capacities: Sequence[int], outside: int, *, values: bool) -> None:
        self.thread = ThreadState()
        self.all_gpus = tuple(
            [SimGpu(i, capacity, outside, self.thread) for i, capacity in enumerate(capacities)]
        )
        self.memory = Memory()
        self.shapes = Shapes(self.memory)
        self.compute: Shapes | Values = Values(self.memory) if values else self.shapes
        self.present = True
        self.capability = 8, 0
        self.has_several = len(self.all_gpus) > 1
        self._hides_real_gpu = bool(torch.version.cuda or torch.version.hip)
        self._pinned: weakref.WeakSet[torch.UntypedStorage] = weakref.WeakSet()
        self._raw: dict[int, tuple[SimGpu, Block]] = {}
        self._wanted: object = _UNREAD
        self._gpus: tuple[SimGpu, ...] = ()
        self._settled = False

    @property
    def gpus(self) -> tuple[SimGpu, ...]:
        """The visible GPUs, by ordinal.

        The environment is read until the first use, as in CUDA; later changes have no effect. It
        cannot hide all simulated GPUs if PyTorch is built for GPUs: there, that is the only way to
        hide the real ones.
        """
        if self._settled:
            return self._gpus
        wanted = os.environ.get(_VISIBLE)
        if wanted != self._wanted:
            self._wanted = wanted
            indices = _visible_indices([gpu.uuid for gpu in self.all_gpus])
            if not indices and self._hides_real_gpu:
                indices = list(range(len(self.all_gpus)))
            for gpu in self.all_gpus:
                gpu.appear_as(indices.index(gpu.index) if gpu.index in indices else None)
            self._gpus = tuple([self.all_gpus[index] for index in indices])
        return self._gpus

    def settle(self) -> None:
        """Fix the set of visible GPUs; raise CUDA's error if there is none."""
        if not self.gpus:
            raise RuntimeError("No CUDA GPUs are available")
        self._settled = True

    @property
    def current(self) -> SimGpu:
        """This thread's current GPU."""
        return self.gpu_at(self.thread.current)

    def synchronize(self, ordinal: int | None = None) -> None:
        """Wait for nothing, all work is done; like any use it gives the process a context."""
        self.gpu_at(self.thread.current if ordinal is None else ordinal).has_context = True

    def gpu_at(self, ordinal: int) -> SimGpu:
        """Return the GPU that PyTorch counts as `ordinal`, or raise CUDA's own error."""
        gpus = self.gpus
        if 0 <= ordinal < len(gpus):
            return gpus[ordinal]
        if not gpus:
            raise RuntimeError("No CUDA GPUs are available")
        names = "one GPU, cuda:0" if len(gpus) == 1 else f"{len(gpus)} GPUs, from cuda:0 on"
        error = getattr(torch, "AcceleratorError", RuntimeError)
        raise error(
            "CUDA error: invalid device ordinal\n"
            f"The simulated machine has {names}; there is no cuda:{ordinal}."
        )

    def gpu_named(self, device: object) -> SimGpu:
        """Return the GPU that a person may write as `device`: "cuda" is the current one."""
        index = device if isinstance(device, int) else device_index(device)
        return self.current if index is None else self.gpu_at(index)

    def switch_to(self, ordinal: int, *, use: bool = True) -> int:
        """Make a GPU the current one and return the ordinal of the one before.

        Since CUDA 12 this gives the process a context on the GPU; without `use` it does not.
        """
        before = self.thread.current
        if ordinal != before:
            gpu = self.gpu_at(ordinal)
            gpu.has_context = gpu.has_context or use
            self.thread.current = ordinal
        return before

    def gpu_of(self, value: Any) -> SimGpu | None:
        """Return the GPU of `value` if it is a tensor on one."""
        if not isinstance(value, torch.Tensor):
            return None
        with without_torch_function():
            return self.memory.gpu_of(value)

    def holds(self, value: Any) -> bool:
        """Whether `value` is a tensor on a GPU."""
        return self.gpu_of(value) is not None

    def is_unknown(self, value: Any) -> bool:
        """Whether `value` is a tensor whose values were not computed."""
        if self.compute.has_values or not isinstance(value, torch.Tensor):
            return False
        with without_torch_function():
            return self.memory.is_unknown(value)

    def pin(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a copy of a host tensor that counts as pinned."""
        if self.is_pinned(tensor):
            return tensor
        copy = tensor.clone()
        self._pinned.add(copy.untyped_storage())
        return copy

    def is_pinned(self, tensor: torch.Tensor) -> bool:
        """Whether the host tensor counts as pinned."""
        with without_torch_function():
            return tensor.layout is torch.strided and tensor.untyped_storage() in self._pinned

    def target(self, device: Any, first: SimGpu | None) -> SimGpu | None:
        """Return the GPU that an operator call names by the `torch.device`; `None` for the host.

        Below the function mode "meta:1" is the GPU cuda:1. If PyTorch's own C++ code takes the
        device from a tensor, the index is lost: then it is the GPU of the call's `first` tensor,
        or that of the call before.
        """
        if device.type == "cuda":
            return self.gpu_named(device)
        if device.type != "meta" or thread_state.plain_meta:
            return None
        if device.index is not None:
            return self.gpu_at(device.index)
        return first or self.gpu_at(self.thread.near)

    def raw_alloc(self, nbytes: int, _stream: int = 0) -> int:
        """Serve `torch.cuda.caching_allocator_alloc`: return an address on the current GPU."""
        torch.cuda.init()
        gpu = self.current
        block = gpu.malloc(nbytes)
        self._raw[block.address] = gpu, block
        return block.address

    def raw_delete(self, address: int) -> None:
        """Serve `torch.cuda.caching_allocator_delete`."""
        gpu, block = self._raw.pop(address)
        gpu.allocator.free(block)


def _visible_indices(uuids: Sequence[str]) -> list[int]:
    """Return the indices of the GPUs that CUDA_VISIBLE_DEVICES leaves visible, by ordinal.

    `uuids` are those of all GPUs, without "GPU-". PyTorch has the driver's rules in Python: it
    reads the environment itself, and its list ends at the first GPU that does not exist.
    """
    wanted = torch.cuda._parse_visible_devices()  # noqa: SLF001 -- the driver's rules, no public name
    if wanted and isinstance(wanted[0], str):
        known = [f"GPU-{uuid}" for uuid in uuids]
        return torch.cuda._transform_uuid_to_ordinals(wanted, known)  # noqa: SLF001 -- as above
    indices: list[int] = []
    for index in wanted:
        if not isinstance(index, int) or index >= len(uuids):
            break
        indices.append(index)
    return indices
