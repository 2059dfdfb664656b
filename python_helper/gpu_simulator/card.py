"""One simulated card: its memory, its random numbers, its place among the others."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from .allocator import CachingAllocator
from .blas import Handles
from .blocks import SHARED
from .classes import CardGenerator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .blocks import Block
    from .machine import ThreadState
    from .pools import Route

DEVICE_NAME = "Simulated GPU"

_FIRST_UUID = 0x51F00000


@dataclass(frozen=True)
class CardState:
    """One card at one moment, as its driver would know it. Sizes in bytes.

    `index` counts all cards, `ordinal` those that CUDA_VISIBLE_DEVICES leaves to this process, as
    PyTorch counts them; None is hidden. `uuid` comes without "GPU-". `outside` is what is used on
    the card apart from `reserved`, and `context` the part of it that is this process's own driver
    context: 0 until the process uses the card.
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


class Card:
    """One card, the `index`-th of the machine, of `capacity` bytes.

    `thread` is what CUDA keeps for each thread. `routes` lead allocations to private pools.
    """

    def __init__(self, index: int, capacity: int, outside: int, thread: ThreadState) -> None:
        self._thread = thread
        self.routes: list[Route] = []
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
        self.generator = CardGenerator(self.device)

    def malloc(self, nbytes: int) -> Block:
        """Hand out a block for the current stream; the first gives the process a context."""
        self.has_context = True
        stream = self.stream
        routes = (route.pool for route in reversed(self.routes) if route.takes(stream))
        return self.allocator.malloc(nbytes, stream, next(routes, SHARED))

    @property
    def stream(self) -> int:
        """This thread's current stream on the card."""
        return self._thread.streams.get(self.device.index, 0)

    @contextmanager
    def holding(self, sizes: Sequence[int | tuple[int, ...]]) -> Iterator[None]:
        """Hand out blocks of these sizes for as long as the context lasts.

        What is in a tuple is taken back before the next is handed out.
        """
        taken: list[Block] = []
        try:
            for size in sizes:
                if isinstance(size, int):
                    taken.append(self.malloc(size))
                else:
                    self.use(size)
            yield
        finally:
            for block in reversed(taken):
                self.allocator.free(block)

    def use(self, sizes: Iterable[int]) -> None:
        """Hand out blocks of these sizes together, and take them back."""
        taken: list[Block] = []
        try:
            taken += (self.malloc(nbytes) for nbytes in sizes)
        finally:
            for block in reversed(taken):
                self.allocator.free(block)

    def memory_info(self) -> tuple[int, int]:
        """Return free and total bytes; to ask the driver gives the process a context."""
        self.has_context = True
        return self.allocator.device_free, self.allocator.capacity

    def state(self) -> CardState:
        """Return the card as its driver would know it now."""
        others = self.allocator.outside - self.allocator.context
        own = self.allocator.context if self.has_context else 0
        return CardState(
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
