"""CUDA_VISIBLE_DEVICES with simulated GPUs, as with real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from gpu_simulator.sizes import GIB

if TYPE_CHECKING:
    from gpu_simulator.simulation import Simulation
    from tests.simulator.conftest import StartGpu

VARIABLE = "CUDA_VISIBLE_DEVICES"


@pytest.fixture
def three_gpus(start_gpu: StartGpu) -> Simulation:
    """GPUs of 1, 2 and 3 GiB, to tell them apart."""
    return start_gpu(["1 GiB", "2 GiB", "3 GiB"], "meta")


@pytest.mark.parametrize(
    ("value", "gibibytes"),
    [
        ("1", [2]),
        ("2,0", [3, 1]),
        (" 1 , 2", [2, 3]),
        ("0,7,1", [1]),
        ("-1", []),
        ("1,-1,2", [2]),
        ("1,1", []),
        ("", []),
        ("none", []),
        ("GPU-51f00001", [2]),
        ("GPU-51f00002-0000-0000-0000-000000000000,GPU-51f00000", [3, 1]),
        ("GPU-51f0000", []),
        ("GPU-51f00001,GPU-ffff", [2]),
    ],
)
def test_it_hides_and_orders_the_gpus(
    three_gpus: Simulation, monkeypatch: pytest.MonkeyPatch, value: str, gibibytes: list[int]
) -> None:
    """Indices, UUIDs and what begins one; what is not there ends the list."""
    monkeypatch.setenv(VARIABLE, value)
    assert torch.cuda.device_count() == len(gibibytes)
    assert torch.cuda.is_available() == bool(gibibytes)
    assert [allocator.capacity // GIB for allocator in three_gpus.allocators] == gibibytes
    order = {gpu.ordinal: gpu.capacity // GIB for gpu in three_gpus.gpus}
    assert [order[i] for i in range(len(gibibytes))] == gibibytes
    assert sum(gpu.ordinal is None for gpu in three_gpus.gpus) == 3 - len(gibibytes)


def test_the_only_visible_gpu_is_cuda_0(
    three_gpus: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tensors on it say cuda:0; the driver still knows it by its own index and UUID."""
    monkeypatch.setenv(VARIABLE, "2")
    tensor = torch.ones(128, device="cuda")
    assert tensor.device == torch.device("cuda", 0)
    assert [gpu.reserved for gpu in three_gpus.gpus] == [0, 0, 2 * 2**20]
    assert [gpu.has_context for gpu in three_gpus.gpus] == [False, False, True]
    assert str(torch.cuda.get_device_properties(0).uuid) == three_gpus.gpus[2].uuid
    assert torch.cuda.mem_get_info(0)[1] == 3 * GIB
    with pytest.raises(torch.OutOfMemoryError, match=r"GPU 0 has a total capacity of 3\.00 GiB"):
        torch.ones(4 * GIB, device="cuda")
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.ones(1, device="cuda:1")


def test_it_is_read_until_the_first_use_only(
    three_gpus: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a later cell sets has no effect, as with CUDA."""
    monkeypatch.setenv(VARIABLE, "1")
    torch.cuda.init()
    monkeypatch.setenv(VARIABLE, "0,1,2")
    assert torch.cuda.device_count() == 1
    assert torch.cuda.mem_get_info()[1] == 2 * GIB
    assert torch.ones(1, device="cuda").is_cuda
    del three_gpus


def test_without_a_visible_gpu_there_is_no_cuda(
    three_gpus: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CUDA is not available, says so in PyTorch's words, and the host works."""
    monkeypatch.setenv(VARIABLE, "")
    for call in (torch.cuda.init, lambda: torch.ones(1, device="cuda"), torch.ones(1).cuda):
        with pytest.raises(RuntimeError, match="No CUDA GPUs are available"):
            call()
    assert torch.ones(2).sum().item() == 2
    assert not torch.accelerator.is_available()
    del three_gpus


def test_a_build_for_gpus_may_hide_the_real_ones(
    monkeypatch: pytest.MonkeyPatch, start_gpu: StartGpu
) -> None:
    """There the variable is the only way to hide a real GPU, and must not hide all of ours."""
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setattr(torch.version, "cuda", "12.8")
    start_gpu("1 GiB", "meta", devices=2)
    assert torch.cuda.device_count() == 2
