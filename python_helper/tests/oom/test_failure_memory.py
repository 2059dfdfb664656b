"""One device when the request failed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gpu_headroom.advice.registry import diagnose
from gpu_headroom.errors.recognise import Recognition, recognise
from gpu_headroom.frameworks.torch.observer import Capture
from gpu_headroom.frameworks.view import FrameworkReading
from gpu_headroom.oom.failure_memory import failure_memory
from gpu_headroom.text.format import GIB
from tests.advice.cases import CAPACITY, device, evidence
from tests.errors.test_recognise import torch_2


@pytest.mark.parametrize(("shared", "outside"), [(False, 14 * GIB), (True, 3 * GIB)])
def test_the_page_cache_is_no_other_program(*, shared: bool, outside: int) -> None:
    """Where GPU and host share memory the observer's free is without it, the host's is not."""
    recognition = recognise(RuntimeError("CUDA out of memory."))
    assert recognition is not None
    stats = {name: {"all": {"current": GIB}} for name in ("allocated_bytes", "reserved_bytes")}
    capture = Capture(0.0, 0, CAPACITY, CAPACITY - 15 * GIB, stats, None, False, ())
    reading = replace(device("torch"), shared_with_host=shared, outside_bytes=3 * GIB)
    assert failure_memory(recognition, capture, reading).outside_bytes == outside


def of_allocator(in_use: int, reserved: int, free: int, capacity: int = CAPACITY) -> Capture:
    """Make what PyTorch's allocator said when it failed."""
    sizes = {"allocated_bytes": in_use, "reserved_bytes": reserved}
    stats = {name: {"all": {"current": size}} for name, size in sizes.items()}
    return Capture(0.0, 0, capacity, free, stats, None, False, ())


def recognised(text: str = "CUDA out of memory.") -> Recognition:
    """Recognise an error of PyTorch's."""
    recognition = recognise(RuntimeError(text))
    assert recognition is not None
    return recognition


@pytest.mark.parametrize("seen", [True, False])
def test_the_pool_of_another_framework_is_this_process(*, seen: bool) -> None:
    """It is no other program's, and nothing that PyTorch could still take."""
    pool = FrameworkReading("tensorflow", GIB, 11 * GIB, source="get_memory_info()")
    own = FrameworkReading("torch", GIB, GIB)
    reading = replace(device("torch"), frameworks=(own, pool), free_bytes=GIB, outside_bytes=GIB)
    capture = of_allocator(GIB, 2 * GIB, GIB) if seen else None
    memory = failure_memory(recognised(), capture, reading)
    assert (memory.outside_bytes, memory.in_use_bytes) == (GIB, 2 * GIB)
    assert (memory.cached_bytes, memory.unallocated_bytes) == (12 * GIB, GIB)
    assert memory.headroom_bytes == 2 * GIB
    facts = evidence(device=reading, cached=12 * GIB, memory=memory, requested=3 * GIB)
    causes = [cause["rule"] for cause in diagnose(facts).causes]
    assert causes == ["preallocation"]


def test_what_windows_lends_is_no_limit() -> None:
    """More than the GPU has may be reserved there; only a limit that is known is one."""
    capture = of_allocator(10 * GIB, 12 * GIB, 6 * GIB)
    assert failure_memory(recognised(), capture, device("torch")).kept_back_bytes == 0
    limited = replace(device("torch"), capacity_bytes=13 * GIB, capacity_limited=True)
    capture = of_allocator(10 * GIB, 12 * GIB, 6 * GIB, 13 * GIB)
    assert failure_memory(recognised(), capture, limited).kept_back_bytes == 5 * GIB


@pytest.mark.parametrize(("allowed", "kept_back"), [("", 0), (" 6.50 GiB allowed;", 7 * GIB)])
def test_a_message_has_a_limit_only_where_it_says_so(allowed: str, kept_back: int) -> None:
    """What is reserved and free may together be more than the GPU has."""
    text = torch_2(between=allowed).replace("512.00 MiB is free", "7.00 GiB is free")
    assert failure_memory(recognised(text), None, None).kept_back_bytes == kept_back
