"""The model of PyTorch's caching allocator, rule by rule."""

from __future__ import annotations

import gc
import threading
from typing import Any

import pytest
from gpu_simulator.allocator import CachingAllocator
from gpu_simulator.sizes import GIB, MIB


class NoRoomError(Exception):
    """What the allocator under test raises."""


def make(capacity: int = GIB, outside: int = 0) -> CachingAllocator:
    """Return an allocator that raises `NoRoomError`."""
    return CachingAllocator(capacity, outside, oom_error=NoRoomError)


def current(allocator: CachingAllocator, name: str, pool: str = "all") -> int:
    """Return a statistic's present value."""
    return int(allocator.stats()[name][pool]["current"])


@pytest.mark.parametrize(
    ("request_bytes", "block_bytes"), [(1, 512), (512, 512), (513, 1024), (MIB - 1, MIB)]
)
def test_requests_are_rounded_up_to_512_bytes(request_bytes: int, block_bytes: int) -> None:
    """A block is a multiple of 512 bytes, and the request is remembered as it was."""
    allocator = make()
    allocator.malloc(request_bytes)
    assert allocator.allocated == block_bytes
    assert current(allocator, "requested_bytes") == request_bytes


@pytest.mark.parametrize(
    ("request_bytes", "pool", "segment_bytes"),
    [
        (512, "small_pool", 2 * MIB),
        (MIB, "small_pool", 2 * MIB),
        (MIB + 1, "large_pool", 20 * MIB),
        (10 * MIB - 512, "large_pool", 20 * MIB),
        (10 * MIB, "large_pool", 10 * MIB),
        (10 * MIB + 1, "large_pool", 12 * MIB),
        (100 * MIB, "large_pool", 100 * MIB),
    ],
)
def test_pool_and_segment_follow_from_the_size(
    request_bytes: int, pool: str, segment_bytes: int
) -> None:
    """Up to 1 MiB take 2 MiB, below 10 MiB take 20 MiB, and more takes multiples of 2 MiB."""
    allocator = make()
    allocator.malloc(request_bytes)
    assert current(allocator, "reserved_bytes", pool) == segment_bytes
    assert allocator.reserved == segment_bytes


def test_best_fit_takes_the_smallest_block_that_is_large_enough() -> None:
    """Of the free blocks the smallest sufficient one is used, the lowest address first."""
    allocator = make()
    blocks = [allocator.malloc(size * MIB) for size in (40, 20, 30)]
    for block in blocks:
        allocator.free(block)
    assert allocator.malloc(29 * MIB).address == blocks[2].address
    assert allocator.malloc(12 * MIB).address == blocks[1].address
    assert allocator.reserved == 90 * MIB


def test_empty_cache_returns_whole_free_segments_only() -> None:
    """A segment with one block in use stays reserved."""
    allocator = make()
    block, spare = allocator.malloc(5 * MIB), allocator.malloc(5 * MIB)
    whole = allocator.malloc(40 * MIB)
    allocator.free(spare)
    allocator.free(whole)
    allocator.empty_cache()
    assert allocator.reserved == 20 * MIB
    allocator.free(block)
    allocator.empty_cache()
    assert allocator.reserved == 0
    assert allocator.stats()["num_device_free"] == 2


def test_a_full_gpu_is_flushed_and_tried_again() -> None:
    """Cached segments are returned before a request is refused, and that is counted."""
    allocator = make(100 * MIB)
    allocator.free(allocator.malloc(60 * MIB))
    allocator.malloc(80 * MIB)
    stats = allocator.stats()
    assert (stats["num_alloc_retries"], stats["num_ooms"]) == (1, 0)
    assert allocator.reserved == 80 * MIB


def test_what_does_not_fit_is_refused_and_counted() -> None:
    """The error names sizes as PyTorch does, and nothing in use is lost."""
    allocator = make(100 * MIB, outside=10 * MIB)
    allocator.malloc(60 * MIB)
    with pytest.raises(NoRoomError) as excinfo:
        allocator.malloc(31 * MIB)
    assert str(excinfo.value) == (
        "CUDA out of memory. Tried to allocate 32.00 MiB. GPU 0 has a total capacity of 100.00 MiB "
        "of which 30.00 MiB is free. Including non-PyTorch memory, this process has 70.00 MiB "
        "memory in use. Of the allocated memory 60.00 MiB is allocated by PyTorch, and 0 bytes is "
        "reserved by PyTorch but unallocated. If reserved but unallocated memory is large try "
        "setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See "
        "documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    )
    stats = allocator.stats()
    assert (stats["num_alloc_retries"], stats["num_ooms"]) == (1, 1)
    assert allocator.allocated == 60 * MIB


def test_other_programs_have_their_own_clause() -> None:
    """Memory outside PyTorch beyond a driver context belongs to another process."""
    allocator = make(GIB, outside=720 * MIB)
    with pytest.raises(NoRoomError, match=r"Process 4194305 has 300\.00 MiB memory in use\. Inclu"):
        allocator.malloc(GIB)


def test_observers_hear_of_a_refusal_with_no_lock_held() -> None:
    """An observer gets device, segment size, limit and free bytes, and may ask for statistics."""
    allocator = make(100 * MIB, outside=10 * MIB)
    calls: list[Any] = []

    def observe(*args: int) -> None:
        with_stats = threading.Thread(target=lambda: calls.append((args, allocator.stats())))
        with_stats.start()
        with_stats.join(5)

    allocator.observers.append(observe)
    with pytest.raises(NoRoomError):
        allocator.malloc(95 * MIB + 1)
    assert calls[0][0] == (0, 96 * MIB, 100 * MIB, 90 * MIB)
    assert calls[0][1]["num_ooms"] == 1


def test_peaks_stay_until_they_are_reset() -> None:
    """A peak is the highest value since the last reset, which starts from the present one."""
    allocator = make()
    block = allocator.malloc(30 * MIB)
    allocator.malloc(10 * MIB)
    allocator.free(block)
    assert allocator.stats()["allocated_bytes"]["all"]["peak"] == 40 * MIB
    allocator.reset_peaks()
    assert allocator.stats()["allocated_bytes"]["all"]["peak"] == 10 * MIB
    assert allocator.stats()["reserved_bytes"]["all"]["peak"] == 40 * MIB


def test_a_free_from_a_finalizer_waits_for_the_lock() -> None:
    """A block freed while the lock is held is taken back before anybody can see the difference."""
    allocator = make()
    block = allocator.malloc(5 * MIB)
    states = []
    with allocator._mutex:
        allocator.free(block)
        states.append(block.allocated)
    assert allocator.stats()["allocated_bytes"]["all"]["current"] == 0
    states.append(block.allocated)
    assert states == [True, False]
    assert allocator.allocated == 0


def test_a_collection_inside_of_malloc_does_no_harm() -> None:
    """Finalizers that free blocks at any moment leave the books in order."""

    class Owner:
        def __init__(self) -> None:
            self.itself = self
            self.block = allocator.malloc(3000)

        def __del__(self) -> None:
            allocator.free(self.block)

    allocator = make()
    threshold = gc.get_threshold()
    gc.set_threshold(3, 1, 1)
    try:
        for _ in range(2000):
            Owner()
    finally:
        gc.set_threshold(*threshold)
    gc.collect()
    assert allocator.allocated == 0
    allocator.empty_cache()
    assert allocator.reserved == 0


def test_history_has_frames_and_a_bounded_trace() -> None:
    """Once started, blocks know who asked for them and the trace keeps the newest events."""
    allocator = make()
    allocator.malloc(512)
    allocator.history.record("all", frames=True, max_entries=2)
    allocator.free(allocator.malloc(512))
    block = allocator.malloc(512)
    assert [event["action"] for event in allocator.history.trace()] == ["free_completed", "alloc"]
    assert block.frames is not None
    assert block.frames[0]["name"] == "test_history_has_frames_and_a_bounded_trace"
    allocator.history.record(None, frames=False)
    assert allocator.history.trace() == []


def test_streams_do_not_share_blocks() -> None:
    """What one gave back another cannot have."""
    allocator = make()
    allocator.free(allocator.malloc(5 * MIB))
    allocator.free(allocator.malloc(5 * MIB, stream=1))
    assert allocator.reserved == 40 * MIB
    allocator.empty_cache()
    assert allocator.reserved == 0
