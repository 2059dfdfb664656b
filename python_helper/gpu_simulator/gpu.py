"""One simulated GPU: its memory, its random numbers, its place among the others."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from .allocator import CachingAllocator
from .blas import Handles
from .classes import GpuGenerator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .blocks import Block

DEVICE_NAME = "Simulated GPU"

_FIRST_UUID = 0x51F00000


class ThreadState(threading.local):
    """CUDA's state of each thread: the current device, and each device's current stream.

    `near` is the GPU that the thread used last.
    """

    current = 0
    near = 0

    def __init__(self) -> None:
        self.streams: dict[int, int] = {}


@dataclass(frozen=True)
class GpuState:
    """State of one GPU as its driver would report it. Sizes in bytes.

    `index` counts all GPUs, `ordinal` those that are visible to this process with
    CUDA_VISIBLE_DEVICES, as PyTorch counts them; `None` if hidden. `uuid` comes without "GPU-".
    `outside` is the memory in use besides `reserved`, and `context` the part of it that is this
    process's own driver context: 0 until the process uses the GPU.
    """

    index: int
    ordinal: int | None
    name: str
    uuid: str
    capacity: int
    outside: int
    context: int
    reserved: int
    has_context: bool


class SimGpu:
    """One GPU, the `index`-th of the machine, of `capacity` bytes.

    `thread` is what CUDA keeps for each thread. `captured` are the streams that graphs are captured
    on.
    """

    def __init__(self, index: int, capacity: int, outside: int, thread: ThreadState) -> None:
        self._thread = thread
        self.captured: set[int] = set()
        self.index = index
        self.uuid = f"{_FIRST_UUID + index:08x}-0000-0000-0000-000000000000"
        self.allocator = CachingAllocator(
            capacity, outside, oom_error=torch.OutOfMemoryError, index=index
        )
        self.has_context = False
        self.blas = Handles(self.malloc, self.allocator.free)
        self.ordinal: int | None = None
        self.appear_as(index)

    def appear_as(self, ordinal: int | None) -> None:
        """Be the device that PyTorch counts as `ordinal`; None is hidden. Before any use."""
        self.ordinal = ordinal
        self.allocator.ordinal = ordinal or 0
        self.device = torch.device("cuda", ordinal or 0)
        self.meta = torch.device("meta", ordinal or 0)
        self.generator = GpuGenerator(self.device)

    def malloc(self, nbytes: int) -> Block:
        """Hand out a block for the current stream; the first gives the process a context."""
        self.has_context = True
        return self.allocator.malloc(nbytes, self.stream)

    @property
    def stream(self) -> int:
        """This thread's current stream on the GPU."""
        return self._thread.streams.get(self.device.index, 0)

    @property
    def is_capturing(self) -> bool:
        """Whether a graph is captured on this thread's current stream."""
        return self.stream in self.captured

    def run_beside(
        self, sizes: Iterable[int | tuple[int, ...]], *, with_blas: bool = False
    ) -> None:
        """Take what a kernel needs beside its results, and give it back but for cuBLAS's part.

        What is in a tuple is given back before the next is taken.
        """
        taken: list[Block] = []
        try:
            for size in sizes:
                if isinstance(size, tuple):
                    self.run_beside(size)
                else:
                    taken.append(self.malloc(size))
            if with_blas:
                self.blas.use(self.stream)
        finally:
            for block in reversed(taken):
                self.allocator.free(block)

    def memory_info(self) -> tuple[int, int]:
        """Return free and total bytes; to ask the driver gives the process a context."""
        self.has_context = True
        return self.allocator.device_free, self.allocator.capacity

    def state(self) -> GpuState:
        """Return the GPU as its driver would know it now."""
        others = self.allocator.outside - self.allocator.context
        own = self.allocator.context if self.has_context else 0
        return GpuState(
            index=self.index,
            ordinal=self.ordinal,
            name=DEVICE_NAME,
            uuid=self.uuid,
            capacity=self.allocator.capacity,
            outside=others + own,
            context=own,
            reserved=self.allocator.reserved,
            has_context=self.has_context,
        )
