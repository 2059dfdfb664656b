"""Segments of the GPU and the blocks that they are cut into."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .statistics import SMALL_POOL

if TYPE_CHECKING:
    from collections.abc import Iterator


class Home(NamedTuple):
    """Key of a free list: the small or large pool, and a stream."""

    pool: str
    stream: int


@dataclass(eq=False)
class Segment:
    """Memory taken from the GPU in one piece; `first` is the block at its start."""

    address: int
    size: int
    home: Home
    first: Block = field(init=False)

    def __post_init__(self) -> None:
        self.first = Block(self.address, self.size, self)

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks from the lowest address on; together they fill the segment."""
        block: Block | None = self.first
        while block is not None:
            yield block
            block = block.next

    def merged(self) -> Iterator[Block]:
        """Yield the blocks, of which free ones beside each other become one."""
        for block in self.blocks():
            if not block.allocated:
                while block.next in block.free_neighbours():
                    block.absorb(block.next)
            yield block

    def describe(self) -> dict[str, Any]:
        """Return what `torch._C._cuda_memorySnapshot` says of a segment, but for its device."""
        blocks = list(self.blocks())
        in_use = [block for block in blocks if block.allocated]
        allocated = sum(block.size for block in in_use)
        return {
            "address": self.address,
            "total_size": self.size,
            "allocated_size": allocated,
            "active_size": allocated,
            "requested_size": sum(block.requested for block in in_use),
            "stream": self.home.stream,
            "segment_type": "small" if self.home.pool == SMALL_POOL else "large",
            "segment_pool_id": (0, 0),
            "is_expandable": False,
            "frames": [],
            "blocks": [
                {
                    "address": block.address,
                    "size": block.size,
                    "requested_size": block.requested,
                    "state": "active_allocated" if block.allocated else "inactive",
                    "frames": block.frames or [],
                }
                for block in blocks
            ],
        }


@dataclass(eq=False)
class Block:
    """A piece of a segment, either handed out or free. Sizes in bytes."""

    address: int
    size: int
    segment: Segment
    previous: Block | None = None
    next: Block | None = None
    allocated: bool = False
    requested: int = 0
    frames: list[dict[str, Any]] | None = None

    @property
    def is_split(self) -> bool:
        """Whether the block shares its segment with others."""
        return self.previous is not None or self.next is not None

    def split(self, size: int) -> Block:
        """Keep `size` bytes and return the rest as a new free block."""
        rest = Block(self.address + size, self.size - size, self.segment, self, self.next)
        if self.next is not None:
            self.next.previous = rest
        self.next = rest
        self.size = size
        return rest

    def free_neighbours(self) -> list[Block]:
        """Return the blocks beside this one that may become one with it."""
        beside = (self.previous, self.next)
        return [block for block in beside if block is not None and not block.allocated]

    def absorb(self, neighbour: Block) -> None:
        """Merge the free `neighbour`, which must touch this block, into this one."""
        if neighbour is self.previous:
            self.address = neighbour.address
            self.previous = neighbour.previous
            if self.previous is None:
                self.segment.first = self
            else:
                self.previous.next = self
        else:
            self.next = neighbour.next
            if self.next is not None:
                self.next.previous = self
        self.size += neighbour.size


class FreeBlocks:
    """The free blocks of one pool, ordered by size and then by address."""

    def __init__(self) -> None:
        self._sorted: list[tuple[int, int, Block]] = []

    def __iter__(self) -> Iterator[Block]:
        """Iterate over a copy, so that blocks may be removed on the way."""
        return iter([block for _, _, block in self._sorted])

    def add(self, block: Block) -> None:
        """Offer `block`."""
        bisect.insort(self._sorted, (block.size, block.address, block))

    def remove(self, block: Block) -> None:
        """Take `block` out; its size and address must be those it was added with."""
        del self._sorted[bisect.bisect_left(self._sorted, (block.size, block.address))]

    def take_fitting(self, size: int) -> Block | None:
        """Take out the smallest block of at least `size` bytes, that of the lowest address."""
        index = bisect.bisect_left(self._sorted, (size, 0))
        return self._sorted.pop(index)[2] if index < len(self._sorted) else None
