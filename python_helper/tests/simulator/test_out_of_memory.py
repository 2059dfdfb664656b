"""Running out of memory on the simulated GPU."""

from __future__ import annotations

import gc
import re
import resource
import traceback
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_simulator.simulation import Simulation
    from tests.simulator.conftest import StartGpu

MIB, GIB = 2**20, 2**30
native: Any = torch._C  # a build without CUDA has no types for CUDA


@pytest.fixture(params=["meta", "cpu"])
def gpu(request: pytest.FixtureRequest, start_gpu: StartGpu) -> Simulation:
    """A GPU of 1 GiB, once without and once with values."""
    return start_gpu("1 GiB", request.param)


def hold(size: int) -> None:
    """Take `size` bytes in a local variable, then more than there is."""
    activations = torch.zeros(size // 4, device="cuda")
    torch.zeros(8 * GIB, device="cuda")
    del activations


def test_the_error_is_pytorchs_own(gpu: Simulation) -> None:
    """It is `torch.OutOfMemoryError`, a RuntimeError, with the numbers of the GPU."""
    torch.zeros(MIB, device="cuda")
    tensor = torch.zeros(256 * MIB // 4, device="cuda")
    with pytest.raises(torch.cuda.OutOfMemoryError) as excinfo:
        torch.zeros(GIB, device="cuda")
    error = excinfo.value
    assert type(error) is torch.OutOfMemoryError
    assert isinstance(error, RuntimeError)
    sizes = re.findall(r"([\d.]+) (GiB|MiB|bytes)", str(error))
    assert sizes == [
        ("4.00", "GiB"),
        ("1024.00", "MiB"),
        ("348.00", "MiB"),
        ("676.00", "MiB"),
        ("256.00", "MiB"),
        ("0", "bytes"),
    ]
    assert torch.cuda.memory_stats()["num_ooms"] == 1
    assert tensor.is_cuda
    del gpu


def test_memory_is_held_by_the_traceback_and_comes_back_with_it(gpu: Simulation) -> None:
    """The failed function's tensors live as long as the traceback, and no longer."""
    try:
        hold(100 * MIB)
    except torch.OutOfMemoryError as error:
        failure: Exception | None = error
    assert gpu.allocator.allocated == 100 * MIB
    assert failure is not None
    failure.__traceback__ = None
    assert gpu.allocator.allocated == 0
    torch.cuda.empty_cache()
    assert gpu.allocator.reserved == 0
    failure = None


def test_the_traceback_holds_no_more_than_on_cuda(gpu: Simulation) -> None:
    """An intermediate result that only the failed call had is gone, traceback or not."""

    def fail() -> None:
        torch.zeros(MIB, device="cuda").repeat(4096)

    with pytest.raises(torch.OutOfMemoryError) as excinfo:
        fail()
    gc.collect()
    assert gpu.allocator.allocated == 0
    assert excinfo.value.__traceback__ is not None


def test_the_traceback_ends_near_the_users_line(gpu: Simulation) -> None:
    """At most two frames of the simulator follow the user's or PyTorch's own."""
    model = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU()).cuda()
    batch = torch.zeros(100_000, 1024, device="cuda")
    with pytest.raises(torch.OutOfMemoryError) as excinfo:
        model(batch)
    frames = traceback.extract_tb(excinfo.value.__traceback__)
    own = [
        frame for frame in frames if "simulate" in frame.filename and "tests" not in frame.filename
    ]
    assert len(own) <= 2
    assert {frame.name for frame in own} <= {"__torch_function__", "__torch_dispatch__"}
    assert frames[0].name == "test_the_traceback_ends_near_the_users_line"
    del gpu


def test_a_large_result_is_refused_before_the_host_computes_it(start_gpu: StartGpu) -> None:
    """With values, what does not fit on the GPU never uses the host's memory."""
    start_gpu("4 GiB", "cpu")
    column = torch.zeros(100_000, 1, device="cuda")
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls: tuple[Callable[[], Any], ...] = (
        lambda: torch.ones(2 * GIB, device="cuda"),
        lambda: torch.rand(2 * GIB, device="cuda"),
        lambda: column + column.T,
        lambda: column @ column.T,
        lambda: column.repeat(1, 100_000),
        lambda: column.new_zeros(2 * GIB),
    )
    for call in calls:
        with pytest.raises(torch.OutOfMemoryError):
            call()
    after_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after_kib - before_kib < 200 * 1024
