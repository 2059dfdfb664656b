"""Tensors on the simulated card: what they say, where they come from, where they go."""

from __future__ import annotations

import io
import pickle
import re
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gpu_simulator.simulation import Simulation

CARD = torch.device("cuda", 0)
native: Any = torch._C  # a build without CUDA has no types for CUDA


def test_the_card_is_found_and_starts_when_it_is_used(card: Simulation) -> None:
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
    assert torch.cuda.get_device_properties(0).total_memory == card.capacity
    assert torch.cuda.mem_get_info() == (card.capacity - card.outside - 2 * 2**20, card.capacity)


MAKERS: dict[str, Callable[[], Any]] = {
    "zeros": lambda: torch.zeros(3, device="cuda"),
    "tensor": lambda: torch.tensor([1.0, 2.0, 3.0], device="cuda"),
    "to": lambda: torch.ones(3).to("cuda"),
    "to keyword": lambda: torch.ones(3).to(device="cuda", dtype=torch.float16),
    "to like another": lambda: torch.ones(3).to(torch.zeros(1, device="cuda")),
    "to like another by keyword": lambda: torch.ones(3).to(  # type: ignore[call-overload]  # not told
        tensor=torch.zeros(1, device="cuda")
    ),
    "cuda": lambda: torch.ones(3).cuda(),
    "like": lambda: torch.rand_like(torch.ones(3, device="cuda")),
    "host like": lambda: torch.zeros_like(torch.ones(3), device="cuda"),
    "new_tensor": lambda: torch.ones(3, device="cuda").new_tensor([1.0, 2.0]),
    "randint": lambda: torch.randint(0, 5, (3,), device="cuda"),
    "randperm": lambda: torch.randperm(5, device="cuda"),
    "tril": lambda: torch.tril(torch.ones(3, 3, device="cuda")),
    "module to like a tensor": lambda: nn.Linear(3, 2).to(torch.zeros(1, device="cuda")).weight,
    "one_hot": lambda: F.one_hot(torch.tensor([1, 2], device="cuda"), 4),
    "mask": lambda: torch.ones(3, device="cuda")[torch.tensor([True, False, True], device="cuda")],
    "out=": lambda: torch.add(torch.ones(3, device="cuda"), 1, out=torch.empty(0, device="cuda")),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_every_way_to_the_card_ends_there(card: Simulation, maker: str) -> None:
    """The tensor is on cuda:0 and its bytes are charged."""
    tensor = MAKERS[maker]()
    assert tensor.device == CARD
    assert tensor.is_cuda
    assert not tensor.is_meta
    assert not tensor.is_cpu
    assert tensor.get_device() == 0
    assert tensor.untyped_storage().device == CARD
    assert card.allocator.allocated >= 512


def test_memory_follows_the_storage(card: Simulation) -> None:
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
    del card


def test_resizing_takes_the_new_block_first(card: Simulation) -> None:
    """A storage that grows is charged with its new size, at a peak of both together."""
    tensor = torch.zeros(1024, device="cuda")
    tensor.resize_(2048)
    assert torch.cuda.memory_allocated() == 8192
    assert torch.cuda.max_memory_allocated() == 12288
    tensor.untyped_storage().resize_(0)
    assert torch.cuda.memory_allocated() == 0
    del card


def test_a_plain_meta_tensor_is_not_on_the_card(card: Simulation) -> None:
    """Device "meta" asked for by name stays what it is, and cannot be copied to the card."""
    plain = torch.empty(1024, device="meta")
    with torch.device("meta"):
        layer = nn.Linear(64, 64)
    assert plain.is_meta
    assert (plain + 1).device.type == "meta"
    assert layer.weight.device.type == "meta"
    assert card.allocator.allocated == 0
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
        plain.to("cuda")
    assert layer.to_empty(device="cuda").weight.is_cuda
    assert torch.ones(3, device="cuda").to("meta").device.type == "meta"


def test_values_survive_every_way_there_and_back(valued_card: Simulation) -> None:
    """With compute="cpu" a tensor has the values that it was made of."""
    host = torch.randn(4, 5)
    on_card = host.to("cuda")
    assert torch.equal(on_card.cpu(), host)
    assert torch.equal(on_card.t()[1:3].cpu(), host.t()[1:3])
    assert on_card[1, 2].item() == host[1, 2].item()
    assert on_card.tolist() == host.tolist()
    assert torch.equal(on_card[[0, 2]].cpu(), host[[0, 2]])
    assert torch.equal(on_card[on_card > 0].cpu(), host[host > 0])
    assert torch.equal(torch.tensor([on_card[0, 0], on_card[1, 1]]), host.diagonal()[:2])
    on_card[0] = 7.0
    on_card[[1, 2], 0] = torch.tensor([8.0, 9.0])
    on_card[3] += on_card[0]
    assert on_card[:3, 0].tolist() == [7.0, 8.0, 9.0]
    assert torch.allclose(on_card[3].cpu(), host[3] + 7)
    host.copy_(on_card)
    assert torch.equal(host, on_card.cpu())
    assert bool((on_card == host.cuda()).all())
    assert torch.allclose(on_card, host.cuda())
    del valued_card


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64, torch.complex64])
@pytest.mark.parametrize("shape", [(), (0,), (0, 2), (5,), (2, 3), (2000,), (3, 40, 50)])
def test_a_tensor_prints_as_on_the_host(
    valued_card: Simulation, shape: tuple[int, ...], dtype: torch.dtype
) -> None:
    """Of any shape and type, but for the name of its device; and nothing stays on the card."""
    host = torch.randn(shape).to(dtype)
    tensor = host.cuda()
    held = torch.cuda.memory_allocated()
    printed = repr(tensor)
    assert printed.count("device='cuda:0'") == 1
    without_device = re.sub(r",\s+device='cuda:0'", "", printed)
    assert "".join(without_device.split()) == "".join(repr(host).split())
    assert torch.cuda.memory_allocated() == held
    del valued_card


def test_a_tensor_without_values_says_so(start_card: Any) -> None:
    """With compute="meta" `repr` shows the shape, and copies on the host are small numbers."""
    start_card("1 GiB", "meta")
    tensor = torch.ones(4, 3, device="cuda", dtype=torch.float16)
    assert repr(tensor) == "tensor(..., device='cuda:0', size=(4, 3), dtype=torch.float16)"
    copy = tensor.cpu()
    assert copy.shape == (4, 3)
    assert 0 < copy.min() <= copy.max() < 1e-5
    assert tensor.long().cpu().count_nonzero() == 0


MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "two devices": (
        lambda: torch.ones(2, 2, device="cuda") @ torch.ones(2, 2),
        RuntimeError,
        "Expected all tensors to be on the same device, but got mat2 is on cpu, .* cuda:0",
    ),
    "a model on the host": (
        lambda: nn.Linear(2, 2)(torch.ones(1, 2, device="cuda")),
        RuntimeError,
        "Expected all tensors to be on the same device",
    ),
    "a card's index for a host tensor": (
        lambda: torch.ones(3)[torch.tensor([0, 1], device="cuda")],
        RuntimeError,
        "indices should be either on cpu or on the same device",
    ),
    "another card": (
        lambda: torch.ones(2, device="cuda:1"),
        RuntimeError,
        "invalid device ordinal",
    ),
    "another card by to": (lambda: torch.ones(2).to("cuda:1"), RuntimeError, "no cuda:1"),
    "shapes": (
        lambda: torch.ones(2, 3, device="cuda") @ torch.ones(2, 3, device="cuda"),
        RuntimeError,
        "mat1 and mat2|same reduction dim",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_refused_as_on_cuda(card: Simulation, mistake: str) -> None:
    """What CUDA refuses is refused, and what is not simulated says so."""
    call, error, text = MISTAKES[mistake]
    with pytest.raises(error, match=text):
        call()
    del card


@pytest.mark.parametrize("operator", ["bincount", "repeat_interleave"])
def test_what_depends_on_values_asks_for_them(start_card: Any, operator: str) -> None:
    """Where only values tell the size of a result, a sentence says so; with values it is there."""
    start_card("1 GiB", "meta")
    numbers = torch.ones(8, dtype=torch.long, device="cuda")
    with pytest.raises(NotImplementedError, match=f'"{operator}".*; compute="cpu"'):
        getattr(torch, operator)(numbers)
    del numbers
    start_card("1 GiB", "cpu")
    numbers = torch.ones(8, dtype=torch.long, device="cuda")
    assert getattr(torch, operator)(numbers).is_cuda


def test_a_module_keeps_its_parameters_when_it_moves(card: Simulation) -> None:
    """Parameters stay the same objects there and back, with their gradients."""
    model = nn.Linear(4, 4)
    weight = model.weight
    model(torch.ones(1, 4)).sum().backward()
    model.cuda()
    assert model.weight is weight
    assert isinstance(weight, nn.Parameter)
    assert weight.is_cuda
    assert weight.grad is not None
    assert weight.grad.is_cuda
    model.half().float().cpu()
    assert model.weight is weight
    assert weight.is_cpu
    assert weight.grad.is_cpu
    assert card.allocator.allocated == 0


def test_a_model_can_move_while_a_graph_is_alive(valued_card: Simulation) -> None:
    """Moving a model to the host works although a loss still holds its graph."""
    model = nn.Linear(4, 4).cuda()
    loss = model(torch.ones(1, 4, device="cuda")).sum()
    model.cpu()
    assert model.weight.is_cpu
    assert loss.is_cuda
    del valued_card


def test_a_saved_tensor_comes_back_to_the_card(card: Simulation, tmp_path: Path) -> None:
    """`torch.save` and `torch.load` keep the device, or map it."""
    tensor = torch.arange(10.0, device="cuda")[2:6]
    torch.save({"t": tensor, "m": nn.Linear(2, 2).cuda().state_dict()}, tmp_path / "t.pt")
    loaded = torch.load(tmp_path / "t.pt")
    assert loaded["t"].is_cuda
    assert loaded["m"]["weight"].is_cuda
    mapped = torch.load(tmp_path / "t.pt", map_location="cpu")
    assert mapped["t"].is_cpu
    if card.compute == "cpu":
        assert loaded["t"].tolist() == mapped["t"].tolist() == [2.0, 3.0, 4.0, 5.0]
    buffer = io.BytesIO()
    torch.save(torch.ones(3), buffer)
    buffer.seek(0)
    assert torch.load(buffer, map_location="cuda").is_cuda
    pickled = pickle.loads(pickle.dumps(tensor))  # noqa: S301 -- pickled here
    assert pickled.is_cuda
    assert torch.equal(pickled, tensor)


def test_random_numbers_of_the_card_leave_the_hosts_alone(valued_card: Simulation) -> None:
    """The card draws from a stream of its own, which seeds and states control."""
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
    drawn = torch.rand(3, device="cuda", generator=generator)
    assert torch.equal(torch.rand(3, generator=torch.Generator().manual_seed(1)), drawn.cpu())
    assert isinstance(torch.default_generator, torch.Generator)
    del valued_card


def test_streams_and_events_do_what_programs_ask(card: Simulation) -> None:
    """Streams, events and synchronisation run, in order and at once."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    with torch.cuda.stream(torch.cuda.Stream()):
        tensor = torch.ones(3, device="cuda")
    tensor.record_stream(torch.cuda.current_stream())
    end.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) >= 0
    with torch.cuda.device(0):
        assert torch.cuda.current_device() == 0
    del card


def test_what_pytorch_reports_is_the_model(card: Simulation) -> None:
    """Summary, snapshot, fraction and the accelerator's interface read the same numbers."""
    tensor = torch.zeros(2**20, device="cuda")
    assert torch.cuda.memory_allocated() == tensor.nbytes == card.allocator.allocated
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


def test_numbers_from_the_host_are_known(card: Simulation) -> None:
    """A number that is copied to the card keeps its value, and so does what comes of it alone."""
    number = torch.tensor(3.5, device="cuda")
    number += 1
    assert (number * 2).item() == 9
    assert bool(number > 4)
    assert float(number.cpu()) == 4.5
    number.add_(torch.zeros(8, device="cuda").sum())
    assert number.item() == (4.5 if card.compute == "cpu" else pytest.approx(0, abs=1e-5))


def test_a_shape_that_libraries_gather_is_known(card: Simulation) -> None:
    """Accelerate puts it on the card, and reads there how far to pad; many numbers are not kept."""
    shape = torch.tensor((8, 128), device="cuda")[None]
    assert max(size[1] for size in shape.cpu()) == 128
    many = torch.arange(1, 100).cuda()
    assert many.max().item() == (99 if card.compute == "cpu" else 0)


@pytest.mark.parametrize("foreach", [False, True])
def test_an_optimizer_goes_on_from_a_checkpoint(card: Simulation, foreach: bool) -> None:
    """Loaded to the card, Adam's count of steps is there, and the next step reads it."""
    layer, saved = nn.Linear(4, 4).cuda(), io.BytesIO()

    def step() -> None:
        layer(torch.ones(2, 4, device="cuda")).sum().backward()
        optimizer.step()

    optimizer = torch.optim.Adam(layer.parameters(), foreach=foreach)
    step()
    step()
    torch.save(optimizer.state_dict(), saved)
    saved.seek(0)
    optimizer.load_state_dict(torch.load(saved, map_location="cuda"))
    step()
    assert {
        (kept["step"].device.type, kept["step"].item()) for kept in optimizer.state.values()
    } == {("cuda", 3.0)}
    del card
