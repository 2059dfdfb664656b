"""Numbers on the wire equal what PyTorch says in the kernel (on a simulated GPU)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.live import SOURCES, LiveKernel, attached

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
    with attached(python, tmp_path_factory.mktemp("gpu"), pack) as kernel:
        run = kernel.run(SIMULATE)
        assert run.status == "ok", run.outputs
        yield kernel


def device(kernel: LiveKernel) -> dict[str, Any]:
    """The only device of a poll."""
    sample = kernel.sample()
    assert sample["state"] == "live"
    (reading,) = sample["devices"]
    return dict(reading)


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
    reading = device(gpu)
    allocated, reserved, peak, (free, total) = gpu.value(
        "(torch.cuda.memory_allocated(), torch.cuda.memory_reserved(),"
        " torch.cuda.max_memory_allocated(), torch.cuda.mem_get_info())"
    )
    assert reading["in_use_bytes"] == allocated
    assert reading["cached_bytes"] == reserved - allocated
    assert reading["frameworks"][0]["peak_in_use_bytes"] == peak
    assert (reading["free_bytes"], reading["capacity_bytes"]) == (free, total)
    assert reading["outside_bytes"] == total - free - reserved
    assert reading["used_bytes"] + reading["headroom_bytes"] == total
    gpu.run("del z")


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
