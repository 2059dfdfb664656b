"""Expandable segments: addresses for all of a card, of which pages are mapped as they are needed.

The rules are those of `c10/cuda/CUDACachingAllocator.cpp`. A stream has one such segment in each
pool, until its addresses do not suffice.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Protocol

from .blocks import Segment
from .sizes import MIB
from .statistics import SMALL_POOL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .blocks import Block, FreeBlocks, Home

SMALL_PAGE_BYTES = 2 * MIB
"""What the small pool maps at a time (kSmallBuffer)."""
LARGE_PAGE_BYTES = 20 * MIB
"""What the large pool maps at a time (kLargeBuffer)."""


class Pages(Protocol):
    """Where the memory of pages comes from and is counted: an allocator. Sizes in bytes."""

    capacity: int

    def place(self, size: int) -> int:
        """Return the first of `size` addresses that nothing else has."""

    def map(self, home: Home, address: int, size: int) -> bool:
        """Take memory from the card for these addresses; return whether there is enough."""

    def unmap(self, home: Home, address: int, size: int) -> None:
        """Return their memory to the card."""


class ExpandableSegments:
    """The expandable segments of a card, whose free mapped blocks are among `free` as all are."""

    def __init__(self, pages: Pages, free: Mapping[Home, FreeBlocks]) -> None:
        self._pages = pages
        self._free = free
        self._segments: defaultdict[Home, list[Segment]] = defaultdict(list)

    def __iter__(self) -> Iterator[Segment]:
        """Iterate over all segments."""
        for segments in self._segments.values():
            yield from segments

    def take(self, home: Home, size: int) -> Block | None:
        """Map pages until a block has `size` bytes, and take it; None where there is no memory.

        What was mapped for a block that then cannot be large enough stays so.
        """
        block = self._place(home, size)
        if not block.mapped and not self._map(block, size):
            return None
        while block.size < size and (unmapped := block.next) is not None:
            if not self._map(unmapped, size - block.size):
                return None
            block = unmapped
        self._free[home].remove(block)
        return block

    def release(self, block: Block) -> None:
        """Unmap the pages that are wholly in the free `block`, and forget a segment without any."""
        segment = block.segment
        home = segment.home
        begin, end = _pages_of(block)
        if begin >= end:
            return
        self._free[home].remove(block)
        if end < block.size:
            self._free[home].add(block.split(end))
        if begin > 0:
            before, block = block, block.split(begin)
            self._free[home].add(before)
        self._pages.unmap(home, block.address, block.size)
        block.mapped = False
        for neighbour in block.free_neighbours():
            block.absorb(neighbour)
        if block.size == segment.size:
            self._segments[home].remove(segment)

    def _place(self, home: Home, size: int) -> Block:
        """Return the block at the lowest address that can grow to `size` bytes.

        It is unmapped, or free before an unmapped one.
        """
        for segment in self._segments[home]:
            for block in segment.blocks():
                if block.mapped:
                    continue
                before = block.previous
                start = block if before is None or before.allocated else before
                if _room_from(start, size) >= size:
                    return start
        page = SMALL_PAGE_BYTES if home.pool == SMALL_POOL else LARGE_PAGE_BYTES
        # An eighth more than the card has: pages may go from the middle and come back at the end.
        capacity = self._pages.capacity
        addresses = _up(capacity + capacity // 8, page)
        segment = Segment(self._pages.place(addresses), addresses, home, page)
        self._segments[home].append(segment)
        return segment.first

    def _map(self, block: Block, size: int) -> bool:
        """Map the pages of the first `size` bytes of an unmapped block, or all; merge it."""
        home = block.segment.home
        mapped = min(_up(size, block.segment.page), block.size)
        if not self._pages.map(home, block.address, mapped):
            return False
        if mapped < block.size:
            block.split(mapped)
        block.mapped = True
        for neighbour in block.free_neighbours():
            self._free[home].remove(neighbour)
            block.absorb(neighbour)
        self._free[home].add(block)
        return True


def best_fit(fitting: Iterator[Block], *, expands: bool) -> Block | None:
    """Return which of the free blocks that are large enough is taken, of them in order of size.

    A block that can grow counts as large as it can become, so that one of a fixed size goes before
    it. Where segments do not expand any more, what is left of them is not taken.
    """
    best = next(fitting, None)
    if best is None or not best.segment.is_expandable:
        return best
    if not expands:
        return next((block for block in fitting if not block.segment.is_expandable), None)
    for block in fitting:
        if _growth(block) >= _growth(best):
            break
        if not block.segment.is_expandable:
            return block
        best = block
    return best


def _growth(block: Block) -> int:
    """Return the size that a free block can have once what is behind it is mapped."""
    behind = block.next
    return block.size if behind is None or behind.mapped else block.size + behind.size


def _room_from(block: Block | None, enough: int) -> int:
    """Return the bytes from `block` on, mapped or not, up to one that is in use or to `enough`."""
    room = 0
    while block is not None and not block.allocated and room < enough:
        room += block.size
        block = block.next
    return room


def _pages_of(block: Block) -> tuple[int, int]:
    """Return where the pages that are wholly in `block` begin and end: offsets in it."""
    start = block.address - block.segment.address
    end = start + block.size
    page = block.segment.page
    return _up(start, page) - start, end // page * page - start


def _up(size: int, page: int) -> int:
    return -(-size // page) * page
