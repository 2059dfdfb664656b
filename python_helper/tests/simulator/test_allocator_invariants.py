"""What holds of the allocator whatever happens to it."""

from __future__ import annotations

import contextlib
import ctypes
import random
import threading
import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from gpu_simulator.allocator import CachingAllocator
from gpu_simulator.sizes import MIB

if TYPE_CHECKING:
    from gpu_simulator.blocks import Block

CAPACITY = 300 * MIB
OUTSIDE = 20 * MIB


@pytest.mark.parametrize("seed", range(8))
def test_the_books_stay_in_order_through_random_use(seed: int) -> None:
    """Blocks fill their segments without a gap or overlap, free neighbours merge, sums agree."""
    chance = random.Random(seed)  # noqa: S311 -- no secret
    allocator = CachingAllocator(CAPACITY, OUTSIDE)
    allocations: list[Block] = []
    refusals = 0
    for _ in range(600):
        action = chance.random()
        if action < 0.55:
            try:
                allocations.append(allocator.malloc(_some_size(chance)))
            except MemoryError:
                refusals += 1
        elif action < 0.97 and allocations:
            allocator.free(allocations.pop(chance.randrange(len(allocations))))
        elif action >= 0.97:
            allocator.empty_cache()
        _check(allocator, allocations)
    assert allocator.stats()["num_ooms"] == refusals
    while allocations:
        allocator.free(allocations.pop())
    allocator.empty_cache()
    _check(allocator, [])
    assert allocator.reserved == 0


class _StopError(BaseException):
    """What another thread raises in one that is at work."""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_error_from_another_thread_leaves_an_allocator_that_works() -> None:
    """Wherever it comes: no lock stays held, and the books are in order again."""
    chance = random.Random(1)  # noqa: S311 -- no secret
    allocator = CachingAllocator(CAPACITY, OUTSIDE)
    for _ in range(150):
        begun = threading.Event()
        worker = threading.Thread(target=_work, args=(allocator, begun), daemon=True)
        worker.start()
        assert begun.wait(10)
        time.sleep(chance.random() / 1000)
        _stop(worker)
        assert not allocator._mutex.locked()
        allocations = _handed_out(allocator)
        _check(allocator, allocations)
        for block in allocations:
            allocator.free(block)
    allocator.empty_cache()
    _check(allocator, [])
    assert allocator.reserved == 0


def _stop(worker: threading.Thread) -> None:
    """Raise an error in it, until it has ended.

    Python swallows one that comes while a callback of the garbage collection runs there.
    """
    assert worker.ident is not None
    identity = ctypes.c_ulong(worker.ident)
    for _ in range(20):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(_StopError))
        worker.join(1)
        if not worker.is_alive():
            return
    pytest.fail("it goes on, or waits for a lock that stayed held")


def _work(allocator: CachingAllocator, begun: threading.Event) -> None:
    with contextlib.suppress(_StopError):
        begun.set()
        chance = random.Random(2)  # noqa: S311 -- no secret
        blocks: list[Block] = []
        while True:
            blocks.append(allocator.malloc(chance.choice((1000, 3 * MIB, 12 * MIB))))
            if len(blocks) > 6:
                allocator.free(blocks.pop(chance.randrange(len(blocks))))
                allocator.empty_cache()
                allocator.stats()


def _handed_out(allocator: CachingAllocator) -> list[Block]:
    """Return the blocks in use, also those that an earlier error left without an owner."""
    allocator.stats()
    return [
        block
        for segment in allocator._segments.values()
        for block in segment.blocks()
        if block.allocated
    ]


def _some_size(chance: random.Random) -> int:
    largest = chance.choice((4096, MIB, 3 * MIB, 12 * MIB, 80 * MIB))
    return chance.randint(1, largest)


def _check(allocator: CachingAllocator, allocations: list[Block]) -> None:
    segments = allocator.segments()
    for segment in segments:
        blocks = segment["blocks"]
        assert blocks[0]["address"] == segment["address"]
        assert sum(block["size"] for block in blocks) == segment["total_size"]
        for left, right in pairwise(blocks):
            assert left["address"] + left["size"] == right["address"]
            assert "active_allocated" in (left["state"], right["state"])
    for left_segment, right_segment in pairwise(sorted(segments, key=lambda s: s["address"])):
        assert left_segment["address"] + left_segment["total_size"] <= right_segment["address"]
    _check_sums(allocator, allocations)


def _check_sums(allocator: CachingAllocator, allocations: list[Block]) -> None:
    stats, segments = allocator.stats(), allocator.segments()
    split = [s for s in segments if len(s["blocks"]) > 1]
    inactive = [b for s in split for b in s["blocks"] if b["state"] == "inactive"]
    expected = {
        "allocation": len(allocations),
        "segment": len(segments),
        "allocated_bytes": sum(block.size for block in allocations),
        "requested_bytes": sum(block.requested for block in allocations),
        "reserved_bytes": sum(segment["total_size"] for segment in segments),
        "inactive_split": len(inactive),
        "inactive_split_bytes": sum(block["size"] for block in inactive),
    }
    assert {name: stats[name]["all"]["current"] for name in expected} == expected
    for name in expected:
        pools = stats[name]
        assert pools["all"]["current"] == sum(
            pools[pool]["current"] for pool in ("small_pool", "large_pool")
        )
        assert pools["all"]["peak"] >= pools["all"]["current"] >= 0
        assert pools["all"]["allocated"] - pools["all"]["freed"] == pools["all"]["current"]
    assert expected["reserved_bytes"] + OUTSIDE <= CAPACITY
