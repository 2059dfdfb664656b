"""Stopping a simulation leaves PyTorch exactly as it was."""

from __future__ import annotations

import builtins
import threading
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch._dynamo
import torch.utils._device
import torch.utils.dlpack
from gpu_simulator import simulate
from torch import nn
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
from torch.utils.data import DataLoader

if TYPE_CHECKING:
    from gpu_simulator.simulation import Simulation

PLACES: dict[str, Any] = {
    "builtins": builtins,
    "torch": torch,
    "torch._C": torch._C,
    "torch._C._nested": torch._C._nested,  # type: ignore[attr-defined]  # not in the stubs
    "torch._C._nn": torch._C._nn,
    "torch._C.TensorBase": torch._C.TensorBase,
    "torch.Tensor": torch.Tensor,
    "torch._tensor": torch._tensor,
    "torch.UntypedStorage": torch.UntypedStorage,
    "torch.TypedStorage": torch.TypedStorage,
    "torch.accelerator": torch.accelerator,
    "torch.amp.autocast_mode": torch.amp.autocast_mode,
    "torch.autograd": torch.autograd,
    "torch.autograd.graph": torch.autograd.graph,
    "torch.autograd.profiler.emit_nvtx": torch.autograd.profiler.emit_nvtx,
    "torch.autograd.profiler.profile": torch.autograd.profiler.profile,
    "torch.backends.cuda": torch.backends.cuda,
    "torch.cuda": torch.cuda,
    "torch.cuda.CUDAGraph": torch.cuda.CUDAGraph,
    "torch.cuda.ExternalStream": torch.cuda.ExternalStream,
    "torch.cuda.MemPool": torch.cuda.MemPool,
    "torch.cuda.graphs": torch.cuda.graphs,
    "torch.cuda.memory": torch.cuda.memory,
    "torch.cuda.memory.CUDAPluggableAllocator": torch.cuda.memory.CUDAPluggableAllocator,
    "torch.cuda.nccl": torch.cuda.nccl,
    "torch.cuda.nvtx": torch.cuda.nvtx,
    "torch.cuda.profiler": torch.cuda.profiler,
    "torch.cuda.random": torch.cuda.random,
    "torch.cuda.streams": torch.cuda.streams,
    "torch.distributed": torch.distributed,
    "torch.distributed.distributed_c10d": torch.distributed.distributed_c10d,
    "torch._dynamo": torch._dynamo,
    "torch.export": torch.export,
    "torch.functional": torch.functional,
    "torch.nn.Module": nn.Module,
    "torch.nn.Parameter": nn.Parameter,
    "torch.nn.DistributedDataParallel": nn.parallel.DistributedDataParallel,
    "torch.nn.functional": nn.functional,
    "torch.nn.parallel._functions": nn.parallel._functions,
    "torch.overrides": torch.overrides,
    "torch.random": torch.random,
    "torch.serialization": torch.serialization,
    "torch.utils._device": torch.utils._device,
    "torch.utils._device.DeviceContext": torch.utils._device.DeviceContext,
    "torch.utils._python_dispatch": torch.utils._python_dispatch,
    "torch.utils.data.DataLoader": DataLoader,
    "torch.utils.dlpack": torch.utils.dlpack,
    "torch.version": torch.version,
    "threading": threading,
    "threading.Thread": threading.Thread,
}


def namespaces() -> dict[str, dict[str, Any]]:
    """Return what every place holds, by name."""
    return {name: dict(vars(place)) for name, place in PLACES.items()}


def use_the_gpu(simulation: Simulation) -> None:
    """Touch as much of the simulation as a program would."""
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    with torch.autocast("cuda"):
        loss = model(torch.ones(2, 8, device="cuda")).sum()
    loss.backward()
    optimizer.step()
    torch.cuda.manual_seed(1)
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == simulation.allocator.allocated > 0


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Import what PyTorch imports at a first step, so that only the simulation makes a change."""
    model = nn.Linear(2, 2)
    model(torch.ones(1, 2)).sum().backward()
    torch.optim.AdamW(model.parameters()).step()
    with torch.autocast("cpu"):
        model(torch.ones(1, 2))
    str(torch.ones(1))


@pytest.mark.parametrize("compute", ["meta", "cpu"])
def test_every_namespace_is_as_before(compute: str) -> None:
    """No attribute of PyTorch's is added, lost or another object."""
    before = namespaces()
    simulation = simulate("1 GiB", compute=compute)
    use_the_gpu(simulation)
    during = namespaces()
    simulation.stop()
    after = namespaces()
    assert any(during[name].keys() != before[name].keys() for name in PLACES)
    for name in PLACES:
        assert after[name].keys() == before[name].keys(), name
        for attribute, value in before[name].items():
            same = after[name][attribute] is value
            assert same or after[name][attribute] == value, f"{name}.{attribute}"


def test_no_mode_stays_on_the_stack() -> None:
    """Calls on the host take PyTorch's own path again."""
    simulation = simulate("1 GiB")
    assert torch._C._len_torch_function_stack() == 1
    assert len(_get_current_dispatch_mode_stack()) == 1
    simulation.stop()
    assert torch._C._len_torch_function_stack() == 0
    assert _get_current_dispatch_mode_stack() == []
    assert not torch.utils._python_dispatch.is_in_torch_dispatch_mode()


def test_a_thread_that_outlives_the_simulation_leaves_no_trace() -> None:
    """PyTorch does not believe in a mode after the last thread of the simulation has ended."""
    simulation = simulate("1 GiB")
    go_on, started = threading.Event(), threading.Event()

    def work() -> None:
        torch.ones(1, device="cuda")
        started.set()
        go_on.wait(10)

    thread = threading.Thread(target=work)
    thread.start()
    started.wait(10)
    simulation.stop()
    go_on.set()
    thread.join(10)
    assert not torch.utils._python_dispatch.is_in_torch_dispatch_mode()


def test_other_modes_stay_where_they_are() -> None:
    """A simulation that is stopped below another mode leaves that one in place."""
    simulation = simulate("1 GiB")
    with torch.device("cpu"):
        simulation.stop()
        assert torch._C._len_torch_function_stack() == 1
        assert torch.ones(2).sum().item() == 2
    assert torch._C._len_torch_function_stack() == 0


def test_results_and_random_numbers_of_the_host_are_unchanged() -> None:
    """What the host computes before, during and after a simulation is the same."""

    def compute() -> torch.Tensor:
        torch.manual_seed(7)
        model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))
        model(torch.randn(4, 8)).sum().backward()
        gradients = [p.grad.flatten() for p in model.parameters() if p.grad is not None]
        return torch.cat([*gradients, torch.rand(5)])

    before = compute()
    with simulate("1 GiB", compute="cpu"):
        during = compute()
        state = torch.get_rng_state()
        result = nn.functional.dropout(torch.rand(10, device="cuda"))
        assert torch.equal(torch.get_rng_state(), state)
        del result
    assert torch.equal(before, during)
    assert torch.equal(before, compute())


def test_tensors_left_on_the_gpu_are_plain_meta_tensors() -> None:
    """They live on without values, and the device they say is the true one."""
    with simulate("1 GiB", compute="cpu"):
        tensor = torch.ones(3, device="cuda")
    assert tensor.device.type == "meta"
    assert not tensor.is_cuda
    del tensor


def test_a_thread_that_outlives_the_simulation_computes_on_the_host() -> None:
    """Its modes stand aside."""
    stopped, results = threading.Event(), []

    def work() -> None:
        stopped.wait(10)
        results.append((torch.ones(2) + 1).tolist())

    with simulate("1 GiB"):
        thread = threading.Thread(target=work)
        thread.start()
    stopped.set()
    thread.join()
    assert results == [[2.0, 2.0]]


def test_a_failed_start_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error on the way in takes back what was put."""
    before = namespaces()

    def fail(*_: object) -> None:
        raise KeyError("no storages")

    with monkeypatch.context() as patch:
        patch.setattr("gpu_simulator.simulation.put_storages", fail)
        with pytest.raises(KeyError):
            simulate("1 GiB")
    assert namespaces() == before
    assert torch._C._len_torch_function_stack() == 0
