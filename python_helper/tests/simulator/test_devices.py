"""Several simulated GPUs: each with its own memory, one of them the current one."""

from __future__ import annotations

import io
import threading
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gpu_simulator import active, simulate
from gpu_simulator.sizes import GIB, MIB
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_simulator.simulation import Simulation
    from tests.simulator.conftest import StartGpu

ONE = torch.device("cuda", 1)
native: Any = torch._C  # a build without CUDA has no types for CUDA


def in_use() -> list[int]:
    """Return the bytes in use on each GPU."""
    return [torch.cuda.memory_allocated(i) for i in range(torch.cuda.device_count())]


def contexts() -> list[bool]:
    """Return for each GPU whether the process has a context on it."""
    return [native._cuda_hasPrimaryContext(i) for i in range(torch.cuda.device_count())]


def test_each_gpu_has_its_own_size_name_and_uuid(start_gpu: StartGpu) -> None:
    """Capacities may differ, and every GPU can be told from the others, today and tomorrow."""
    simulation = start_gpu(["1 GiB", "2 GiB"], "meta")
    properties = [torch.cuda.get_device_properties(i) for i in range(torch.cuda.device_count())]
    assert [gpu.total_memory for gpu in properties] == [GIB, 2 * GIB]
    assert [str(gpu.uuid) for gpu in properties] == [
        "51f00000-0000-0000-0000-000000000000",
        "51f00001-0000-0000-0000-000000000000",
    ]
    assert torch.cuda.get_device_name(1) == "Simulated GPU"
    assert torch.cuda.mem_get_info(1) == (2 * GIB - simulation.outside, 2 * GIB)
    with pytest.raises(AssertionError, match="Invalid device id"):
        torch.cuda.get_device_properties(2)
    assert repr(simulation) == (
        "<Simulation of 2 GPUs: capacity=1024.00 MiB+2.00 GiB, outside=420.00 MiB, compute='meta'>"
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"devices": 0}, "devices must be a number from 1 on, not 0"),
        ({"devices": "2"}, "devices must be a number from 1 on"),
        ({"capacity": "1GiB*0"}, "capacity must be a size"),
        ({"capacity": "1GiB*two"}, "capacity must be a size"),
        ({"capacity": "1GiB*2", "devices": 2}, "devices=2 must be left out"),
        ({"capacity": ["1 GiB"], "devices": 2}, "devices=2 must be left out"),
        ({"capacity": []}, "capacity is an empty list"),
        ({"capacity": ["1 GiB", "100 MiB"]}, "capacity must be more than what is used outside"),
    ],
)
def test_numbers_of_gpus_that_make_no_sense_are_refused(
    arguments: dict[str, Any], text: str
) -> None:
    """One clear sentence, and no simulation is left behind."""
    with pytest.raises(ValueError, match=text):
        simulate(**arguments)
    assert active() is None


def test_a_gpu_without_index_is_the_current_one(two_gpus: Simulation) -> None:
    """`torch.cuda.device`, `set_device` and `with torch.device` choose the GPU."""
    cuda = torch.cuda
    with cuda.device(1):
        assert cuda.current_device() == torch.accelerator.current_device_index() == 1
        assert torch.ones(1, device="cuda").device == ONE
        assert torch.ones(1).cuda().device == ONE
        assert nn.Linear(1, 1).to("cuda").weight.device == ONE
        assert torch.Generator("cuda").device == ONE
        assert cuda.memory_allocated() == cuda.memory_allocated(1)
        with cuda.device(0):
            assert torch.ones(1, device="cuda").get_device() == 0
        assert cuda.current_device() == 1
    assert cuda.current_device() == 0
    cuda.set_device("cuda:1")
    assert torch.zeros(1, device="cuda").device == ONE
    cuda.set_device(0)
    with torch.device("cuda:1"):
        assert nn.Linear(2, 2).weight.device == torch.zeros(1).device == ONE
        assert cuda.current_device() == 0
    with torch.accelerator.device_index(1):
        assert cuda.current_device() == 1
    with cuda.device_of(torch.ones(1, device=ONE)):
        assert cuda.current_device() == 1
    assert cuda.current_device() == 0
    del two_gpus


def test_every_thread_has_a_current_device_of_its_own(two_gpus: Simulation) -> None:
    """A thread begins with GPU 0, and what it sets is not seen by others."""
    torch.cuda.set_device(1)
    devices: list[Any] = []

    def work() -> None:
        devices.append(torch.ones(1, device="cuda").get_device())
        torch.cuda.set_device(0)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert devices == [0]
    assert torch.cuda.current_device() == 1
    del two_gpus


def test_only_a_gpu_that_was_used_has_a_context(two_gpus: Simulation) -> None:
    """As in PyTorch's test_cuda_primary_ctx.py: one GPU's tensors make no context on others."""
    torch.cuda.init()
    assert contexts() == [False, False]
    tensor = torch.randn(1, device="cuda:1")
    assert contexts() == [False, True]
    str(tensor)
    torch.ones(1).copy_(tensor)
    torch.cuda.empty_cache()
    torch.cuda.memory_stats(0)
    torch.cuda.get_device_properties(0)
    torch.cuda.manual_seed_all(1)
    with torch.cuda.device(0):
        pass
    assert contexts() == [False, True]
    torch.cuda.mem_get_info(0)
    assert contexts() == [True, True]
    del two_gpus


def test_memory_peaks_and_fractions_are_per_gpu(two_gpus: Simulation) -> None:
    """Statistics of one GPU do not move with the other's, and a fraction limits one."""
    cuda = torch.cuda
    first = torch.zeros(MIB, device="cuda:0")
    second = torch.zeros(2 * MIB, device="cuda:1")
    assert in_use() == [4 * MIB, 8 * MIB]
    assert [cuda.memory_reserved(i) for i in (0, 1)] == [20 * MIB] * 2
    del second
    assert [cuda.max_memory_allocated(i) for i in (0, 1)] == [4 * MIB, 8 * MIB]
    cuda.reset_peak_memory_stats(1)
    assert [cuda.max_memory_allocated(i) for i in (0, 1)] == [4 * MIB, 0]
    assert torch.accelerator.memory_allocated(1) == 0
    cuda.set_per_process_memory_fraction(0.01, 1)
    assert cuda.get_per_process_memory_fraction(0) == 1.0
    with pytest.raises(torch.OutOfMemoryError, match=r"GPU 1 has .* 40\.96 MiB allowed;"):
        torch.zeros(60 * MIB, dtype=torch.uint8, device=ONE)
    torch.zeros(60 * MIB, dtype=torch.uint8, device="cuda:0")
    cuda.empty_cache()
    assert [cuda.memory_reserved(i) for i in (0, 1)] == [20 * MIB, 0]
    with pytest.raises(RuntimeError, match="Invalid device argument 2"):
        cuda.memory_stats(2)
    del first, two_gpus


MIXES: dict[str, tuple[Callable[[torch.Tensor, torch.Tensor], Any], str]] = {
    "elements": (
        lambda zero, one: zero + one,
        "found at least two devices, cuda:0 and cuda:1!",
    ),
    "matrices": (
        lambda zero, one: zero @ one,
        r"but got mat2 is on cuda:1, different .* cuda:0 \(when .* method wrapper_CUDA_mm\)",
    ),
    "a layer": (
        lambda zero, _one: nn.Linear(2, 2, device=ONE)(zero),
        r"but got mat1 is on cuda:0, different .* cuda:1 \(when .* method wrapper_CUDA_addmm\)",
    ),
    "an index": (
        lambda zero, one: zero[one.long()],
        r"indices should be either on cpu or on the same device as the indexed tensor \(cuda:0\)",
    ),
}


@pytest.mark.parametrize("mix", MIXES)
def test_tensors_of_two_gpus_do_not_mix(two_gpus: Simulation, mix: str) -> None:
    """PyTorch's own error names both GPUs."""
    call, text = MIXES[mix]
    zero, one = torch.ones(2, 2, device="cuda:0"), torch.ones(2, 2, device=ONE)
    with pytest.raises((RuntimeError, TypeError), match=text):
        call(zero, one)
    del two_gpus


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.ones(1, device="cuda:2"),
        lambda: torch.ones(1).to("cuda:2"),
        lambda: torch.ones(1).cuda(2),
        lambda: torch.cuda.set_device(2),
        lambda: torch.cuda.device(2).__enter__(),
    ],
)
def test_a_gpu_that_is_not_there_is_refused(two_gpus: Simulation, call: Any) -> None:
    """CUDA's own error, with how many GPUs there are."""
    with pytest.raises(RuntimeError, match=r"invalid device ordinal\n.*2 GPUs.*no cuda:2"):
        call()
    del two_gpus


def test_saved_tensors_come_back_to_their_gpus(two_gpus: Simulation) -> None:
    """`torch.load` keeps each GPU, maps to another, and refuses one that is not there."""

    def load(location: Any = None) -> Any:
        file.seek(0)
        return torch.load(file, map_location=location)

    file = io.BytesIO()
    torch.save([torch.ones(128, device="cuda:0"), torch.arange(128.0, device=ONE)], file)
    assert [tensor.get_device() for tensor in load()] == [0, 1]
    assert [tensor.get_device() for tensor in load("cuda:1")] == [1, 1]
    assert [tensor.get_device() for tensor in load({"cuda:1": "cuda:0"})] == [0, 0]
    assert [tensor.get_device() for tensor in load(lambda storage, _: storage.cuda(1))] == [1, 1]
    with torch.cuda.device(1):
        assert [tensor.get_device() for tensor in load("cuda")] == [1, 1]
    if two_gpus.compute == "cpu":
        assert load("cuda:0")[1].tolist() == list(map(float, range(128)))
    with pytest.raises(RuntimeError, match=r"device 2 but torch.cuda.device_count\(\) is 2"):
        load("cuda:2")
    assert in_use() == [0, 0]
