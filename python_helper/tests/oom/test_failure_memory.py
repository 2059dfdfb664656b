"""One device when the request failed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gpu_headroom.errors.recognise import recognise
from gpu_headroom.frameworks.torch.observer import Capture
from gpu_headroom.oom.failure_memory import failure_memory
from gpu_headroom.text.format import GIB
from tests.advice.cases import CAPACITY, device


@pytest.mark.parametrize(("shared", "outside"), [(False, 14 * GIB), (True, 3 * GIB)])
def test_the_page_cache_is_no_other_program(*, shared: bool, outside: int) -> None:
    """Where GPU and host share memory the observer's free is without it, the host's is not."""
    recognition = recognise(RuntimeError("CUDA out of memory."))
    assert recognition is not None
    stats = {name: {"all": {"current": GIB}} for name in ("allocated_bytes", "reserved_bytes")}
    capture = Capture(0.0, 0, CAPACITY, CAPACITY - 15 * GIB, stats, None, False, ())
    reading = replace(device("torch"), shared_with_host=shared, outside_bytes=3 * GIB)
    assert failure_memory(recognition, capture, reading).outside_bytes == outside
