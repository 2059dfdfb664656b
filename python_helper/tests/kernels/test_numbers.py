"""Numbers on the wire equal what PyTorch says in the kernel (on a simulated GPU)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.live import SOURCES, UNTIL_READ, LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack

MIB = 2**20
# The simulator is in the wheel only: the kernel is shown where it lies.
SIMULATE = f"""
import gpu_headroom, importlib.machinery, sys
sys.path.append({str(SOURCES)!r})
sys.meta_path.append(importlib.machinery.PathFinder)
simulation = gpu_headroom.simulate("4 GiB")
import torch
"""


@pytest.fixture(scope="module")
def gpu(python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel of each generation with the helper injected and a simulated GPU."""
    with LiveKernel(python, tmp_path_factory.mktemp("gpu")) as kernel:
        kernel.inject(pack)
        kernel.attach()
        run = kernel.run(SIMULATE)
        assert run.status == "ok", run.outputs
        yield kernel


def device(kernel: LiveKernel) -> dict[str, Any]:
    """The only device of a poll."""
    sample = kernel.sample()
    assert sample["state"] == "live"
    (found,) = sample["devices"]
    return dict(found)


@pytest.mark.smoke
def test_comes_alive_with_the_first_tensor(gpu: LiveKernel) -> None:
    """PyTorch alone is not a GPU in use; its first tensor on the device is, in the same cell."""
    assert gpu.sample()["state"] == "not_initialised"
    since = gpu.now
    with gpu.busy_cell("x = torch.zeros(1024, 1024, device='cuda')"):
        sample = gpu.await_event("sample", since, state="live", busy=True)
    assert sample["devices"][0]["name"] == "Simulated GPU"
    assert sample["devices"][0]["simulated"] is True


@pytest.mark.smoke
def test_equal_what_pytorch_says(gpu: LiveKernel) -> None:
    """In use, cached, peak, free and capacity are PyTorch's own, to the byte."""
    gpu.run("y = torch.empty(100, 1000, 1000, device='cuda'); z = y[:50].clone(); del y")
    seen = device(gpu)
    allocated, reserved, peak, (free, total) = gpu.value(
        "(torch.cuda.memory_allocated(), torch.cuda.memory_reserved(),"
        " torch.cuda.max_memory_allocated(), torch.cuda.mem_get_info())"
    )
    assert seen["in_use_bytes"] == allocated
    assert seen["cached_bytes"] == reserved - allocated
    assert seen["frameworks"][0]["peak_in_use_bytes"] == peak
    assert (seen["free_bytes"], seen["capacity_bytes"]) == (free, total)
    assert seen["outside_bytes"] == total - free - reserved
    assert seen["used_bytes"] + seen["headroom_bytes"] == total
    gpu.run("del z")


def test_a_memory_fraction_is_the_capacity(gpu: LiveKernel) -> None:
    """Where the process may use only a part of the card, that part is the capacity."""
    gpu.run("torch.cuda.set_per_process_memory_fraction(0.5)")
    seen = device(gpu)
    assert seen["capacity_limited"] is True
    assert seen["capacity_bytes"] == 2 * 2**30
    assert seen["headroom_bytes"] <= seen["capacity_bytes"] - seen["in_use_bytes"]
    gpu.run("torch.cuda.set_per_process_memory_fraction(1.0)")
    assert device(gpu)["capacity_limited"] is False


@pytest.mark.smoke
def test_a_cell_knows_its_change_and_exact_peak(gpu: LiveKernel) -> None:
    """The end of a cell says what it added and its highest in use, exact where a counter rose."""
    since = gpu.now
    gpu.run(
        "a = torch.empty(1024 * 2**20, dtype=torch.uint8, device='cuda')\n"
        "del a\n"
        "b = torch.empty(64 * 2**20, dtype=torch.uint8, device='cuda')",
        cell_id="grows",
    )
    end = gpu.await_event("cell", since, status="ok")
    (memory,) = end["memory"]
    assert memory["change_bytes"] == 64 * MIB
    assert memory["peak_bytes"] >= 1024 * MIB
    assert memory["peak_bytes"] == memory["peak_at_most_bytes"]
    assert memory["peak_bytes"] == gpu.value("torch.cuda.max_memory_allocated()")


def test_a_lower_peak_is_bounded(gpu: LiveKernel) -> None:
    """Below an earlier peak the counter says little: what was given out and reserved says more."""
    before = device(gpu)["in_use_bytes"]
    since = gpu.now
    gpu.run(
        "c = torch.empty(128 * 2**20, dtype=torch.uint8, device='cuda')\n"
        f"{2 * UNTIL_READ}"  # the first reading may have begun before
        "del c, b"
    )
    (memory,) = gpu.await_event("cell", since, status="ok")["memory"]
    assert memory["peak_bytes"] == before + 128 * MIB
    assert memory["peak_at_most_bytes"] == before + 128 * MIB
    assert memory["change_bytes"] == -64 * MIB


def test_swallowed_errors_are_counted(gpu: LiveKernel) -> None:
    """A program that catches its out-of-memory errors succeeds, and they are counted."""
    since = gpu.now
    run = gpu.run(
        "for size in (64, 48):\n"
        "    try: torch.empty(size * 2**30, dtype=torch.uint8, device='cuda')\n"
        "    except torch.OutOfMemoryError: pass"
    )
    assert run.outputs == []
    (memory,) = gpu.await_event("cell", since, status="ok")["memory"]
    assert memory["ooms"] == 2


def test_counters_of_the_user_are_not_reset(gpu: LiveKernel) -> None:
    """The peak that PyTorch reports is the highest of the whole life, however often we read."""
    highest = gpu.value("torch.cuda.max_memory_allocated()")
    for _ in range(3):
        gpu.sample()
        gpu.run("1")
    assert gpu.value("torch.cuda.max_memory_allocated()") == highest
