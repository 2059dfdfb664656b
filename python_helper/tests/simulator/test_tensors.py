"""Tensors on the simulated GPU: what they say, where they come from, where they go."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it

if TYPE_CHECKING:
    from gpu_simulator.simulation import Simulation

GPU = torch.device("cuda", 0)
native: Any = torch._C  # a build without CUDA has no types for CUDA


def test_the_gpu_is_found_and_starts_when_it_is_used(gpu: Simulation) -> None:
    """CUDA is available at once, and initialised by the first tensor only."""
    assert torch.cuda.is_available()
    assert torch.cuda.device_count() == 1
    assert not torch.cuda.is_initialized()
    assert torch.cuda.memory_stats(0) == {}
    torch.ones(2)
    assert not torch.cuda.is_initialized()
    torch.ones(2, device="cuda")
    assert torch.cuda.is_initialized()
    assert native._cuda_hasPrimaryContext(0)
    assert torch.cuda.get_device_name() == "Simulated GPU"
    assert torch.cuda.get_device_properties(0).total_memory == gpu.capacity
    assert torch.cuda.mem_get_info() == (gpu.capacity - gpu.outside - 2 * 2**20, gpu.capacity)


def test_memory_follows_the_storage(gpu: Simulation) -> None:
    """Views are free of charge, and memory comes back when the last of them is gone."""
    tensor = torch.zeros(1024, device="cuda")
    view = tensor.view(32, 32)[4:8].t()
    assert torch.cuda.memory_allocated() == 4096
    del tensor
    assert torch.cuda.memory_allocated() == 4096
    del view
    assert torch.cuda.memory_allocated() == 0
    assert torch.cuda.memory_reserved() == 2 * 2**20
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() == 0
    del gpu


def test_resizing_takes_the_new_block_first(gpu: Simulation) -> None:
    """A storage that grows is charged with its new size, at a peak of both together."""
    tensor = torch.zeros(1024, device="cuda")
    tensor.resize_(2048)
    assert torch.cuda.memory_allocated() == 8192
    assert torch.cuda.max_memory_allocated() == 12288
    tensor.untyped_storage().resize_(0)
    assert torch.cuda.memory_allocated() == 0
    del gpu


def test_a_plain_meta_tensor_is_not_on_the_gpu(gpu: Simulation) -> None:
    """Device "meta" asked for by name stays what it is, and cannot be copied to the GPU."""
    plain = torch.empty(1024, device="meta")
    with torch.device("meta"):
        layer = nn.Linear(64, 64)
    assert plain.is_meta
    assert (plain + 1).device.type == "meta"
    assert layer.weight.device.type == "meta"
    assert gpu.allocator.allocated == 0
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
        plain.to("cuda")
    assert layer.to_empty(device="cuda").weight.is_cuda
    assert torch.ones(3, device="cuda").to("meta").device.type == "meta"


def test_values_survive_every_way_there_and_back(valued_gpu: Simulation) -> None:
    """With compute="cpu" a tensor has the values that it was made of."""
    host = torch.randn(4, 5)
    on_gpu = host.to("cuda")
    assert torch.equal(on_gpu.cpu(), host)
    assert torch.equal(on_gpu.t()[1:3].cpu(), host.t()[1:3])
    assert on_gpu[1, 2].item() == host[1, 2].item()
    assert on_gpu.tolist() == host.tolist()
    assert torch.equal(on_gpu[[0, 2]].cpu(), host[[0, 2]])
    assert torch.equal(on_gpu[on_gpu > 0].cpu(), host[host > 0])
    assert torch.equal(torch.tensor([on_gpu[0, 0], on_gpu[1, 1]]), host.diagonal()[:2])
    on_gpu[0] = 7.0
    on_gpu[[1, 2], 0] = torch.tensor([8.0, 9.0])
    on_gpu[3] += on_gpu[0]
    assert on_gpu[:3, 0].tolist() == [7.0, 8.0, 9.0]
    assert torch.allclose(on_gpu[3].cpu(), host[3] + 7)
    host.copy_(on_gpu)
    assert torch.equal(host, on_gpu.cpu())
    assert bool((on_gpu == host.cuda()).all())
    assert torch.allclose(on_gpu, host.cuda())
    del valued_gpu


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64, torch.complex64])
@pytest.mark.parametrize("shape", [(), (0,), (0, 2), (5,), (2, 3), (2000,), (3, 40, 50)])
def test_a_tensor_prints_as_on_the_host(
    valued_gpu: Simulation, shape: tuple[int, ...], dtype: torch.dtype
) -> None:
    """Of any shape and type, but for the name of its device; and nothing stays on the GPU."""
    host = torch.randn(shape).to(dtype)
    tensor = host.cuda()
    before = torch.cuda.memory_allocated()
    text = repr(tensor)
    assert text.count("device='cuda:0'") == 1
    without_device = re.sub(r",\s+device='cuda:0'", "", text)
    assert "".join(without_device.split()) == "".join(repr(host).split())
    assert torch.cuda.memory_allocated() == before
    del valued_gpu


def test_a_model_can_move_while_a_graph_is_alive(valued_gpu: Simulation) -> None:
    """Moving a model to the host works although a loss still holds its graph."""
    model = nn.Linear(4, 4).cuda()
    loss = model(torch.ones(1, 4, device="cuda")).sum()
    model.cpu()
    assert model.weight.is_cpu
    assert loss.is_cuda
    del valued_gpu


def test_random_numbers_of_the_gpu_leave_the_hosts_alone(valued_gpu: Simulation) -> None:
    """The GPU draws from a stream of its own, which seeds and states control."""
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first = torch.rand(3, device="cuda")
    F.dropout(torch.ones(100, device="cuda"))
    assert torch.equal(torch.rand(3), expected)
    torch.cuda.manual_seed(5)
    assert torch.equal(torch.rand(3, device="cuda").cpu(), first.cpu())
    state = torch.cuda.get_rng_state()
    second = torch.rand(3, device="cuda")
    torch.cuda.set_rng_state(state)
    assert torch.equal(torch.rand(3, device="cuda"), second)
    generator = torch.Generator(device="cuda").manual_seed(1)
    assert generator.device.type == "cuda"
    numbers = torch.rand(3, device="cuda", generator=generator)
    assert torch.equal(torch.rand(3, generator=torch.Generator().manual_seed(1)), numbers.cpu())
    assert isinstance(torch.default_generator, torch.Generator)
    del valued_gpu


def test_what_pytorch_reports_is_the_model(gpu: Simulation) -> None:
    """Summary, snapshot, fraction and the accelerator's interface read the same numbers."""
    tensor = torch.zeros(2**20, device="cuda")
    assert torch.cuda.memory_allocated() == tensor.nbytes == gpu.allocator.allocated
    assert "4096 KiB" in torch.cuda.memory_summary()
    segments = torch.cuda.memory_snapshot()
    assert sum(segment["allocated_size"] for segment in segments) == 4 * 2**20
    assert torch.accelerator.current_accelerator() == torch.device("cuda")
    assert torch.accelerator.memory_allocated() == 4 * 2**20
    torch.cuda.set_per_process_memory_fraction(0.001)
    with pytest.raises(torch.OutOfMemoryError, match=r"4\.10 MiB allowed;"):
        torch.zeros(8 * 2**20, device="cuda")
    torch.cuda.memory._record_memory_history(max_entries=10)
    assert torch.cuda.memory._snapshot()["device_traces"] == [[]]


def test_a_shape_that_libraries_gather_is_known(gpu: Simulation) -> None:
    """Accelerate puts it on the GPU, and reads there how far to pad; many numbers are not kept."""
    shape = torch.tensor((8, 128), device="cuda")[None]
    assert max(size[1] for size in shape.cpu()) == 128
    many = torch.arange(1, 100).cuda()
    assert many.max().item() == (99 if gpu.compute == "cpu" else 0)


@pytest.mark.parametrize("foreach", [False, True])
def test_an_optimizer_goes_on_from_a_checkpoint(gpu: Simulation, foreach: bool) -> None:
    """Loaded to the GPU, Adam's count of steps is there, and the next step reads it."""
    layer, file = nn.Linear(4, 4).cuda(), io.BytesIO()

    def step() -> None:
        layer(torch.ones(2, 4, device="cuda")).sum().backward()
        optimizer.step()

    optimizer = torch.optim.Adam(layer.parameters(), foreach=foreach)
    step()
    step()
    torch.save(optimizer.state_dict(), file)
    file.seek(0)
    optimizer.load_state_dict(torch.load(file, map_location="cuda"))
    step()
    assert {
        (entry["step"].device.type, entry["step"].item()) for entry in optimizer.state.values()
    } == {("cuda", 3.0)}
    del gpu
