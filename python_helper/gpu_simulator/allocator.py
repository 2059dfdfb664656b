"""A model of PyTorch's CUDACachingAllocator: which bytes it takes, keeps, gives out and returns.

The rules are those of `c10/cuda/CUDACachingAllocator.cpp`, without those of expandable segments.
Nothing here knows about tensors or imports PyTorch.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import Counter, defaultdict, deque
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .blocks import Block, FreeBlocks, Home, Segment
from .history import History
from .refusal import refusal_message
from .sizes import MIB
from .statistics import LARGE_POOL, POOL_STATISTICS, SMALL_POOL, PoolStatistic, Statistic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")

MIN_BLOCK_BYTES = 512
"""Every request is rounded up to a multiple of this (kMinBlockSize)."""
SMALL_BYTES = 1 * MIB
"""The largest request served from the small pool (kSmallSize)."""
SMALL_SEGMENT_BYTES = 2 * MIB
"""Segment size of the small pool (kSmallBuffer)."""
LARGE_SEGMENT_BYTES = 20 * MIB
"""Segment size for requests below `MIN_LARGE_BYTES` (kLargeBuffer)."""
MIN_LARGE_BYTES = 10 * MIB
"""From here on a request gets a segment of its own (kMinLargeAlloc)."""
ROUND_LARGE_BYTES = 2 * MIB
"""Segments of their own are multiples of this (kRoundLarge)."""
CONTEXT_BYTES = 420 * MIB
"""Most of the memory outside PyTorch that is this process's own driver context."""

_FIRST_ADDRESS = 0x7F00_0000_0000
_ADDRESSES_PER_GPU = 2**44

_allocators: weakref.WeakSet[CachingAllocator] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    """Replace locks held by threads that do not exist in the child process.

    Such a thread was only reading: once memory is allocated, a child cannot use the GPU.
    """
    for allocator in _allocators:
        allocator._mutex = threading.Lock()  # noqa: SLF001 -- of this file


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


class _Refusal(NamedTuple):
    """A request that was not to be had, in bytes, and the text that PyTorch has for it."""

    requested: int
    limit: int
    free: int
    message: str


def _exclusively(method: Callable[..., T]) -> Callable[..., T]:
    """Have a method hold the lock of its allocator, and process pending frees first.

    Another thread or a signal may raise an exception in any Python function, so also in the middle
    of the method. Between a plain `with` and its block none can be raised, so the lock is always
    released; the next method to hold it repairs the counters.
    """

    @wraps(method)
    def call(self: CachingAllocator, *args: Any) -> T:
        with self._mutex:
            self._settle()
            result = method(self, *args)
            self._is_amid = False
        self._take_back()
        return result

    return call


class CachingAllocator:
    """The allocator of one GPU of `capacity` bytes, of which others use `outside` bytes.

    `index` keeps the addresses of several GPUs apart; `ordinal` is PyTorch's index of the GPU.

    `oom_error` is raised with PyTorch's text if a request does not fit. Observers are called just
    before, on the allocating thread and with no lock held; an exception from one replaces
    `oom_error`, as in PyTorch. Safe to use from several threads, and `free` from a finalizer.
    """

    def __init__(
        self,
        capacity: int,
        outside: int = 0,
        *,
        oom_error: type[Exception] = MemoryError,
        index: int = 0,
    ) -> None:
        self.ordinal = index
        self.capacity = capacity
        self.outside = outside
        self.fraction: float | None = None
        self.history = History()
        self.observers: list[Callable[[int, int, int, int], object]] = []
        self.refuses: Callable[[int], bool] | None = None
        """Asked before each request, with what would be in use after it; the lock is held."""
        self._oom_error = oom_error
        self._mutex = threading.Lock()
        self._is_amid = False
        """Whether a change has begun; where the lock was free before, it has come to no end."""
        _allocators.add(self)
        self._released: deque[Block] = deque()
        self._next_address = _FIRST_ADDRESS + index * _ADDRESSES_PER_GPU
        self._segments: dict[int, Segment] = {}
        self._free: defaultdict[Home, FreeBlocks] = defaultdict(FreeBlocks)
        self._statistics = {name: PoolStatistic() for name in POOL_STATISTICS}
        for active, handed_out in (("active", "allocation"), ("active_bytes", "allocated_bytes")):
            # Work is done at once, so nothing that is freed stays active: the two never differ.
            self._statistics[active] = self._statistics[handed_out]
        self._retries = self._ooms = self._device_allocs = self._device_frees = 0

    @property
    def allocated(self) -> int:
        """Bytes in blocks that are handed out."""
        return self._read("allocated_bytes")

    @property
    def reserved(self) -> int:
        """Bytes taken from the GPU."""
        return self._read("reserved_bytes")

    @property
    def allowed(self) -> int:
        """Bytes the allocator may take: the capacity, or its fraction where one is set."""
        return self.capacity if self.fraction is None else int(self.fraction * self.capacity)

    @property
    def context(self) -> int:
        """Bytes of `outside` that are this process's own driver context, once it has one."""
        return min(self.outside, CONTEXT_BYTES)

    @property
    def device_free(self) -> int:
        """Free bytes of the GPU, as the driver reports them."""
        return max(0, self.capacity - self.outside - self._current("reserved_bytes"))

    def malloc(self, nbytes: int, stream: int = 0) -> Block:
        """Hand out a block for `nbytes` bytes, or raise the out-of-memory error.

        Blocks go back to the stream that they were taken for.
        """
        made = self._hand_out(nbytes, stream, self.history.capture_frames())
        if isinstance(made, Block):
            return made
        for observer in tuple(self.observers):
            observer(self.ordinal, made.requested, made.limit, made.free)
        raise self._oom_error(made.message)

    def free(self, block: Block) -> None:
        """Free `block`. Safe while the lock is held, even by the same thread.

        A garbage collection may run a tensor's finalizer in the middle of `malloc`. The block then
        waits until the holder of the lock frees it, before the lock is released.
        """
        self._released.append(block)
        self._take_back()

    @_exclusively
    def empty_cache(self) -> None:
        """Return each segment that is wholly free to the GPU."""
        self._empty_cache()

    @_exclusively
    def reset_peaks(self) -> None:
        """Reset all peaks to the present values."""
        for statistic in self._each_statistic():
            statistic.reset_peak()

    @_exclusively
    def reset_accumulated(self) -> None:
        """Reset all sums and event counters to zero."""
        for statistic in self._each_statistic():
            statistic.reset_accumulated()
        self._retries = self._ooms = self._device_allocs = self._device_frees = 0

    @_exclusively
    def stats(self) -> dict[str, Any]:
        """Return what `torch._C._cuda_memoryStats` returns."""
        nested = {
            name: {pool: one.as_dict() for pool, one in statistic.items()}
            for name, statistic in self._statistics.items()
        }
        return {
            **nested,
            "num_alloc_retries": self._retries,
            "num_ooms": self._ooms,
            "num_device_alloc": self._device_allocs,
            "num_device_free": self._device_frees,
            "num_sync_all_streams": 0,
            "max_split_size": -1,
            "oversize_allocations": Statistic().as_dict(),
            "oversize_segments": Statistic().as_dict(),
        }

    @_exclusively
    def segments(self) -> list[dict[str, Any]]:
        """Return the segments with their blocks, as `torch._C._cuda_memorySnapshot` has them."""
        ranges = [
            {"device": self.ordinal, **segment.describe()} for segment in self._segments.values()
        ]
        return sorted(ranges, key=lambda each: each["address"])

    @_exclusively
    def _hand_out(self, nbytes: int, stream: int, frames: Any) -> Block | _Refusal:
        size = _round_up(nbytes, MIN_BLOCK_BYTES)
        segment_size = _segment_size(size)
        pool = SMALL_POOL if size <= SMALL_BYTES else LARGE_POOL
        if self.refuses is None or not self.refuses(self._current("allocated_bytes") + size):
            block = self._allocate(nbytes, segment_size, Home(pool, stream))
        else:
            block, self.capacity = None, self.outside + self._current("reserved_bytes")
        if block is not None:
            block.frames = frames
            self.history.note("alloc", block.address, nbytes, frames)
            return block
        self._ooms += 1
        free = self.device_free
        message = refusal_message(
            self.ordinal,
            requested=segment_size,
            capacity=self.capacity,
            free=free,
            context=self.context,
            others=self.outside - self.context,
            allowed=None if self.fraction is None else self.allowed,
            allocated=self._current("allocated_bytes"),
            reserved=self._current("reserved_bytes"),
        )
        self.history.note("oom", 0, segment_size, frames, device_free=free)
        return _Refusal(segment_size, self.allowed, free, message)

    @_exclusively
    def _read(self, name: str) -> int:
        return self._current(name)

    def _take_back(self) -> None:
        while self._released and not self._mutex.locked():
            with self._mutex:
                self._settle()
                self._is_amid = False

    def _settle(self) -> None:
        """Do what finalizers have asked for; the lock is held."""
        if self._is_amid:
            self._put_in_order()
        self._is_amid = True
        while self._released:
            block = self._released[0]
            if block.allocated:
                self._return(block)
            self._released.popleft()

    def _put_in_order(self) -> None:
        """Compute the counters again from the blocks, which no exception leaves half changed."""
        self._free.clear()
        counted: Counter[tuple[str, str]] = Counter()
        for segment in self._segments.values():
            home = segment.home
            counted["segment", home.pool] += 1
            for block in segment.merged():
                counted["reserved_bytes", home.pool] += block.size
                if block.allocated:
                    counted["allocation", home.pool] += 1
                    counted["allocated_bytes", home.pool] += block.size
                    counted["requested_bytes", home.pool] += block.requested
                else:
                    self._free[home].add(block)
                    if block.is_split:
                        counted["inactive_split", home.pool] += 1
                        counted["inactive_split_bytes", home.pool] += block.size
        for name, statistic in self._statistics.items():
            if not name.startswith("active"):
                statistic.correct({pool: counted[name, pool] for pool in (SMALL_POOL, LARGE_POOL)})

    def _allocate(self, nbytes: int, segment_size: int, home: Home) -> Block | None:
        size = _round_up(nbytes, MIN_BLOCK_BYTES)
        block = self._free[home].take_fitting(size) or self._reserve(home, segment_size)
        if block is None:
            self._empty_cache()
            self._retries += 1
            block = self._reserve(home, segment_size)
        if block is None:
            return None
        self._carve(block, size)
        block.requested = nbytes
        self._count(block, 1)
        block.allocated = True
        return block

    def _reserve(self, home: Home, segment_size: int) -> Block | None:
        """Take a segment from the GPU, or return None where there is no room for it."""
        reserved = self._current("reserved_bytes")
        if self.fraction is not None and reserved + segment_size > self.allowed:
            return None
        if segment_size > self.device_free:
            return None
        pool = home.pool
        segment = Segment(self._next_address, segment_size, home)
        self._next_address += segment_size + ROUND_LARGE_BYTES
        self._segments[segment.address] = segment
        self._device_allocs += 1
        self._statistics["segment"].change(pool, 1)
        self._statistics["reserved_bytes"].change(pool, segment_size)
        self.history.note("segment_alloc", segment.address, segment_size)
        return segment.first

    def _carve(self, block: Block, size: int) -> None:
        """Cut `block` down to `size` where its pool's rule lets the rest be a block of its own."""
        was_split = block.is_split
        home = block.segment.home
        rest = block.size - size
        if rest >= MIN_BLOCK_BYTES if home.pool == SMALL_POOL else rest > SMALL_BYTES:
            self._free[home].add(block.split(size))
            if was_split:
                self._count_split(block, 0, -size)
            else:
                self._count_split(block, 1, rest)
        elif was_split:
            self._count_split(block, -1, -block.size)

    def _return(self, block: Block) -> None:
        home = block.segment.home
        self.history.note("free_requested", block.address, block.requested)
        self.history.note("free_completed", block.address, block.requested)
        self._count(block, -1)
        block.allocated = False
        block.requested = 0
        block.frames = None
        blocks = size = 0
        for neighbour in block.free_neighbours():
            self._free[home].remove(neighbour)
            block.absorb(neighbour)
            blocks -= 1
            size -= neighbour.size
        if block.is_split:
            blocks += 1
            size += block.size
        self._count_split(block, blocks, size)
        self._free[home].add(block)

    def _count(self, block: Block, sign: int) -> None:
        pool = block.segment.home.pool
        self._statistics["allocation"].change(pool, sign)
        self._statistics["allocated_bytes"].change(pool, sign * block.size)
        self._statistics["requested_bytes"].change(pool, sign * block.requested)

    def _count_split(self, block: Block, blocks: int, size: int) -> None:
        """Count rests of segments that cannot be returned."""
        pool = block.segment.home.pool
        self._statistics["inactive_split"].change(pool, blocks)
        self._statistics["inactive_split_bytes"].change(pool, size)

    def _empty_cache(self) -> None:
        for blocks in list(self._free.values()):
            for block in blocks:
                if not block.is_split:
                    self._return_segment(blocks, block)

    def _return_segment(self, blocks: FreeBlocks, block: Block) -> None:
        pool = block.segment.home.pool
        blocks.remove(block)
        del self._segments[block.segment.address]
        self._device_frees += 1
        self._statistics["segment"].change(pool, -1)
        self._statistics["reserved_bytes"].change(pool, -block.size)
        self.history.note("segment_free", block.address, block.size)

    def _current(self, name: str) -> int:
        return self._statistics[name]["all"].current

    def _each_statistic(self) -> Iterator[Statistic]:
        for statistic in self._statistics.values():
            yield from statistic.values()


def _round_up(size: int, multiple: int) -> int:
    return max(multiple, -(-size // multiple) * multiple)


def _segment_size(size: int) -> int:
    if size <= SMALL_BYTES:
        return SMALL_SEGMENT_BYTES
    if size < MIN_LARGE_BYTES:
        return LARGE_SEGMENT_BYTES
    return _round_up(size, ROUND_LARGE_BYTES)
