"""One simulated card: its memory, its random numbers, its place among the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from .allocator import CachingAllocator
from .classes import CardGenerator

if TYPE_CHECKING:
    from .blocks import Block

DEVICE_NAME = "Simulated GPU"

CUBLAS_WORKSPACE_BYTES = 8_519_680
"""cuBLAS's default workspace, `:4096:2:16:8` KiB, one for each thread that multiplies matrices."""

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
    """One card, the `index`-th of the machine, of `capacity` bytes."""

    def __init__(self, index: int, capacity: int, outside: int) -> None:
        self.index = index
        self.uuid = f"{_FIRST_UUID + index:08x}-0000-0000-0000-000000000000"
        self.allocator = CachingAllocator(
            capacity, outside, oom_error=torch.OutOfMemoryError, index=index
        )
        self.has_context = False
        self._workspaces: dict[bool, Block] = {}
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
        """Hand out a block; the first use gives the process a context on the card."""
        self.has_context = True
        return self.allocator.malloc(nbytes)

    def memory_info(self) -> tuple[int, int]:
        """Return free and total bytes; to ask the driver gives the process a context."""
        self.has_context = True
        return self.allocator.device_free, self.allocator.capacity

    def use_workspace(self) -> None:
        """Charge cuBLAS's workspace of this thread, once for forward and once for backward.

        On a card backward has a thread of its own, and each thread has a cuBLAS handle.
        """
        in_backward = torch._C._current_graph_task_id() != -1  # noqa: SLF001 -- no public name
        if in_backward not in self._workspaces:
            self._workspaces[in_backward] = self.malloc(CUBLAS_WORKSPACE_BYTES)

    def clear_workspaces(self) -> None:
        """Free the cuBLAS workspaces."""
        while self._workspaces:
            self.allocator.free(self._workspaces.popitem()[1])

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
