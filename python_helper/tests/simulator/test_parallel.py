"""Training over two simulated GPUs: values, places and errors as on real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
import torch.distributed
from gpu_simulator.torch_internals import thread_state
from tests.simulator.test_start import python
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it

if TYPE_CHECKING:
    from gpu_simulator.simulation import Simulation

ZERO, ONE = torch.device("cuda", 0), torch.device("cuda", 1)
WIDTH, BATCH = 256, 64


def layer_on(device: torch.device) -> nn.Linear:
    """Return a layer with the same weights on every device."""
    torch.manual_seed(0)
    return nn.Linear(WIDTH, WIDTH).to(device)


class Pipeline(nn.Module):
    """Two layers, each on a GPU of its own."""

    def __init__(self, first: torch.device, second: torch.device) -> None:
        super().__init__()
        self.first, self.second = layer_on(first), layer_on(second)
        self.place = second

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Run the first layer, bring its result to the second GPU, run the second layer."""
        hidden: torch.Tensor = self.second(self.first(inputs).relu().to(self.place))
        return hidden


def train(model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> list[float]:
    """Train for 20 steps and return the losses."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = F.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    """Return inputs and targets on the host."""
    generator = torch.Generator().manual_seed(1)
    return torch.randn(BATCH, WIDTH, generator=generator), torch.ones(BATCH, WIDTH)


def test_a_model_trains_over_two_gpus(two_gpus: Simulation) -> None:
    """Losses are the host's, gradients and optimizer state lie with their parameters."""
    inputs, targets = batch()
    model = Pipeline(ZERO, ONE)
    losses = train(model, inputs.to(ZERO), targets.to(ONE))
    for parameter in model.parameters():
        assert parameter.grad is not None
        assert parameter.grad.device == parameter.device
    assert {p.device for p in model.first.parameters()} == {ZERO}
    assert {p.device for p in model.second.parameters()} == {ONE}
    if two_gpus.compute == "cpu":
        assert losses[-1] < 0.5 * losses[0]
        host = torch.device("cpu")
        assert losses == pytest.approx(train(Pipeline(host, host), inputs, targets), rel=1e-3)


@pytest.mark.parametrize("foreach", [False, True])
def test_data_parallel_splits_the_batch(two_gpus: Simulation, foreach: bool) -> None:
    """Each GPU computes half of the batch; result and gradients are those of one GPU."""
    inputs, targets = batch()
    model = nn.DataParallel(nn.Sequential(layer_on(ZERO), nn.ReLU(), layer_on(ZERO)))
    assert model.device_ids == [0, 1]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=foreach)
    result = model(inputs.to(ZERO))
    assert (result.device, tuple(result.shape)) == (ZERO, (BATCH, WIDTH))
    loss = F.mse_loss(result, targets.to(ZERO))
    loss.backward()
    optimizer.step()
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    assert {gradient.device for gradient in gradients} == {ZERO}
    if two_gpus.compute == "cpu":
        host = torch.device("cpu")
        alone = nn.Sequential(layer_on(host), nn.ReLU(), layer_on(host))
        F.mse_loss(alone(inputs), targets).backward()
        for gradient, parameter in zip(gradients, alone.parameters(), strict=True):
            assert parameter.grad is not None
            assert torch.allclose(gradient.cpu(), parameter.grad, atol=1e-6)


def test_running_out_in_a_replica_is_told_as_pytorch_does(two_gpus: Simulation) -> None:
    """The error comes from the replica's thread and names the GPU."""
    torch.cuda.set_per_process_memory_fraction(0.005, 1)
    model = nn.DataParallel(nn.Linear(WIDTH, 4096).to(ZERO))
    with pytest.raises(torch.OutOfMemoryError, match=r"in replica 1 on device 1.(.|\n)*GPU 1 has"):
        model(torch.zeros(2 * 4096, WIDTH, device=ZERO))
    assert torch.cuda.memory_stats(0)["num_ooms"] == 0
    del two_gpus


def test_nccl_and_distributed_training_say_that_they_are_not_simulated(
    two_gpus: Simulation,
) -> None:
    """One sentence each, before anything starts; a model on the host is not refused for it."""
    with pytest.raises(RuntimeError, match="NCCL is not simulated"):
        torch.distributed.init_process_group("nccl", rank=0, world_size=1)
    assert not torch.distributed.is_initialized()
    wrapper = nn.parallel.DistributedDataParallel
    with pytest.raises(RuntimeError, match="DistributedDataParallel is not simulated"):
        wrapper(nn.Linear(2, 2).to(ONE), device_ids=[1])
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        wrapper(nn.Linear(2, 2))
    store = torch._C._distributed_c10d.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        with pytest.raises(NotImplementedError, match="no collective operations of torch"):
            torch.distributed.all_reduce(torch.ones(2, device=ONE))
        torch.distributed.all_reduce(torch.ones(2))
    finally:
        torch.distributed.destroy_process_group()
    del two_gpus


def test_a_forked_child_allocates_though_the_gpu_was_being_read() -> None:
    """The lock that a thread of the parent held is free in the child."""
    output = python("""
        import os, signal, threading, torch
        from gpu_simulator import simulate
        simulation = simulate("1 GiB")
        allocator = simulation._machine.all_gpus[0].allocator
        held, forked = threading.Event(), threading.Event()
        def read():
            with allocator._mutex:
                held.set()
                forked.wait(60)
        reader = threading.Thread(target=read)
        reader.start()
        held.wait()
        if (child := os.fork()) == 0:
            signal.alarm(20)
            kept = torch.ones(1, device="cuda")
            print(torch.cuda.memory_allocated(), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        forked.set()
        reader.join()
        kept = torch.ones(1, device="cuda")
        print(torch.cuda.memory_allocated())
    """)
    assert output.splitlines() == ["512", "512"]


def test_an_interruption_leaves_no_context_behind(
    gpu: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that comes at the end of a context of ours, before it is left."""

    def interrupt(*_: object, **__: object) -> None:
        thread_state.in_kernel = True
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("gpu_simulator.gpu.SimGpu.run_beside", interrupt)
        with pytest.raises(KeyboardInterrupt):
            torch.ones(2, device="cuda").add(1)
    assert not thread_state.in_kernel
    assert torch.ones(2, device="cuda").is_cuda
    del gpu
