"""Programs that need no library but PyTorch: modes, precision, threads, copies and files."""

from __future__ import annotations

import copy
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gpu_simulator.simulation import Simulation

MIB = 2**20


def mlp(width: int = 64, depth: int = 3) -> nn.Sequential:
    """Return layers with activations between them, on the host."""
    layers = [layer for _ in range(depth) for layer in (nn.Linear(width, width), nn.ReLU())]
    return nn.Sequential(*layers)


MODES: dict[str, Callable[[], Any]] = {
    "no_grad": torch.no_grad,
    "inference_mode": torch.inference_mode,
}


@pytest.mark.parametrize("mode", MODES)
def test_inference_keeps_values_and_frees_activations(card: Simulation, mode: str) -> None:
    """Without a graph only the result stays, and copies there and back keep their values."""
    torch.manual_seed(0)
    model, inputs = mlp(), torch.randn(256, 64)
    wanted = model(inputs)
    model.cuda()
    before = card.allocator.allocated
    with MODES[mode]():
        moved = inputs.to("cuda")
        classes = torch.arange(256).to("cuda", non_blocking=True)
        result = model(moved)
        correct = (F.one_hot(classes % 64, 64).sum(1) == 1).all()
        back = result.to("cpu")
    torch._C._cuda_clearCublasWorkspaces()
    kept = [moved, classes, result, correct]
    assert card.allocator.allocated - before == sum(-(-t.nbytes // 512) * 512 for t in kept)
    assert result.is_inference() == (mode == "inference_mode")
    if card.compute == "cpu":
        assert torch.allclose(back, wanted, atol=1e-5)
        assert classes.tolist() == list(range(256))
        assert bool(correct)


def test_running_out_in_inference_mode_is_the_same_error(card: Simulation) -> None:
    """The error comes from the user's line there too, and leaves nothing behind."""
    torch.cuda.set_per_process_memory_fraction(1 / 1024)
    with torch.inference_mode(), pytest.raises(torch.OutOfMemoryError):
        torch.zeros(2**23).to("cuda")
    assert card.allocator.allocated == 0


@pytest.mark.parametrize("kind", ["reentrant", "not reentrant", "sequential"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_checkpointing_under_autocast_needs_less(
    card: Simulation, kind: str, dtype: torch.dtype
) -> None:
    """Recomputed activations are in the lower type, and forward keeps less than without."""
    model = mlp(depth=6).cuda()
    inputs = torch.randn(1024, 64, device="cuda", requires_grad=True)

    def plain() -> Any:
        return model(inputs).float().sum()

    def checkpointed() -> Any:
        if kind == "sequential":
            result: Any = checkpoint_sequential(model, 3, inputs, use_reentrant=False)
        else:
            result = checkpoint(model, inputs, use_reentrant=kind == "reentrant")
        return result.float().sum()

    kept = []
    for forward in (plain, checkpointed):
        torch._C._cuda_clearCublasWorkspaces()
        before = card.allocator.allocated
        with torch.autocast("cuda", dtype=dtype):
            loss = forward()
        torch._C._cuda_clearCublasWorkspaces()
        kept.append(card.allocator.allocated - before)
        torch.amp.GradScaler("cuda", enabled=dtype is torch.float16).scale(loss).backward()
        assert all(p.grad is not None and p.grad.is_cuda for p in model.parameters())
        model.zero_grad()
        del loss
    activation = 1024 * 64 * 2
    assert kept[0] - kept[1] >= 3 * activation


def test_data_parallel_trains_on_one_card(card: Simulation) -> None:
    """With one card the wrapped model is the model: no copy, and gradients in place."""
    model = mlp().cuda()
    before = card.allocator.allocated
    parallel = nn.DataParallel(model)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1)
    parallel(torch.randn(8, 64, device="cuda")).sum().backward()
    optimizer.step()
    torch._C._cuda_clearCublasWorkspaces()
    assert card.allocator.allocated - before == before
    assert parallel.module is model


def test_a_pool_of_threads_trains_models(card: Simulation) -> None:
    """Threads allocate and free at the same time, backward included, and lose no byte."""

    def train(seed: int) -> tuple[str, float]:
        generator = torch.Generator("cuda").manual_seed(seed)
        model = mlp().cuda()
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        inputs = torch.randn(32, 64, device="cuda", generator=generator)
        losses = []
        for _ in range(5):
            loss = (model(inputs) - 1).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return str(loss.device), losses[-1] - losses[0]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(train, range(8)))
    assert {device for device, _ in results} == {"cuda:0"}
    if card.compute == "cpu":
        assert all(change < 0 for _, change in results)
    torch._C._cuda_clearCublasWorkspaces()
    assert card.allocator.allocated == 0


def test_a_thread_runs_out_of_memory_by_itself(card: Simulation) -> None:
    """The error is raised in the thread that asked, and the others go on."""
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            torch.empty(8 * 2**30, dtype=torch.uint8, device="cuda")
        except torch.OutOfMemoryError as error:
            failures.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert len(failures) == 1
    assert torch.ones(3, device="cuda").is_cuda
    assert card.allocator.stats()["num_ooms"] == 1


def test_a_deep_copy_is_charged_once_for_shared_weights(card: Simulation) -> None:
    """A copy takes what the original takes, and a tied weight stays tied."""
    model = mlp().cuda()
    model[2].weight = model[0].weight
    torch.cuda.empty_cache()
    before = card.allocator.allocated
    twin = copy.deepcopy(model)
    assert card.allocator.allocated - before == sum(
        -(-p.nbytes // 512) * 512 for p in model.parameters()
    )
    assert twin[2].weight is twin[0].weight
    assert twin[0].weight is not model[0].weight


def test_a_checkpoint_on_disk_comes_back_to_the_card(card: Simulation, tmp_path: Path) -> None:
    """Model and optimizer are saved and loaded, to the host or the card, with their values."""
    model = mlp().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(2, 64, device="cuda")).sum().backward()
    optimizer.step()
    path = tmp_path / "checkpoint.pt"
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
    torch._C._cuda_clearCublasWorkspaces()
    before = card.allocator.allocated
    on_host = torch.load(path, map_location="cpu", weights_only=True)
    assert card.allocator.allocated == before
    on_card = torch.load(path, weights_only=True)
    parameters = sum(-(-p.nbytes // 512) * 512 for p in model.parameters())
    assert card.allocator.allocated - before == 3 * parameters
    for name, value in model.state_dict().items():
        assert not on_host["model"][name].is_cuda
        assert on_card["model"][name].is_cuda
        if card.compute == "cpu":
            assert torch.equal(on_host["model"][name], value.cpu())
    optimizer.load_state_dict(on_card["optimizer"])
    twin = mlp().cuda()
    twin.load_state_dict(on_host["model"])
    if card.compute == "cpu":
        for one, other in zip(twin.parameters(), model.parameters(), strict=True):
            assert torch.equal(one.cpu(), other.cpu())


@pytest.mark.parametrize("where", ["cpu", "cuda"])
def test_safetensors_come_back_to_the_card(card: Simulation, tmp_path: Path, where: str) -> None:
    """A file written from the card is read to the host or the card."""
    safetensors = pytest.importorskip("safetensors.torch")
    tensor = torch.arange(1024.0).cuda()
    path = tmp_path / "tensors.safetensors"
    safetensors.save_file({"tensor": tensor}, path)
    before = card.allocator.allocated
    loaded = safetensors.load_file(path, device=where)["tensor"]
    assert str(loaded.device) == {"cpu": "cpu", "cuda": "cuda:0"}[where]
    assert card.allocator.allocated - before == (4096 if where == "cuda" else 0)
    if card.compute == "cpu":
        assert torch.equal(loaded.cpu(), torch.arange(1024.0))


def test_streams_overlap_copies_with_work(card: Simulation) -> None:
    """A loader's pattern of a side stream, events and `record_stream` runs in order."""
    side = torch.cuda.Stream()
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    total = torch.zeros((), device="cuda")
    for number in range(3):
        with torch.cuda.stream(side):
            batch = torch.full((16,), float(number)).pin_memory().to("cuda", non_blocking=True)
            copied = side.record_event()
        torch.cuda.current_stream().wait_event(copied)
        batch.record_stream(torch.cuda.current_stream())
        total += batch.sum()
    torch.cuda.current_stream().wait_stream(side)
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0
    if card.compute == "cpu":
        assert total.item() == 16 * (0 + 1 + 2)


def test_a_compiled_model_runs_uncompiled_and_says_so(card: Simulation) -> None:
    """Each way to compile warns in one sentence, and the program trains."""
    sentence = "torch.compile does nothing on the simulated GPU: the program runs uncompiled."
    with pytest.warns(UserWarning, match=sentence):
        model = torch.compile(mlp().cuda(), mode="reduce-overhead")
    model(torch.ones(2, 64, device="cuda")).sum().backward()
    with pytest.warns(UserWarning, match=sentence):

        @torch.compile(dynamic=True)
        def double(value: torch.Tensor) -> torch.Tensor:
            return value * 2

    assert double(torch.ones(2, device="cuda")).is_cuda
    in_place = mlp().cuda()
    with pytest.warns(UserWarning, match=sentence):
        in_place.compile()
    assert in_place(torch.ones(2, 64, device="cuda")).is_cuda
    del card


def test_functional_transforms_run(card: Simulation) -> None:
    """`torch.func` and `torch.autograd.functional` work on the card, with values."""
    tensor = torch.arange(1.0, 5.0).cuda()
    gradient = torch.func.grad(lambda value: (value**2).sum())(tensor)
    mapped = torch.vmap(lambda value: value * 2)(tensor)
    hessian: Any = torch.autograd.functional.hessian(lambda value: (value**3).sum(), tensor)
    assert gradient.is_cuda
    assert mapped.is_cuda
    assert hessian.is_cuda
    if card.compute == "cpu":
        assert gradient.tolist() == [2.0, 4.0, 6.0, 8.0]
        assert mapped.tolist() == [2.0, 4.0, 6.0, 8.0]
        assert hessian.diagonal().tolist() == [6.0, 12.0, 18.0, 24.0]


def test_old_tensor_types_make_tensors_of_the_card(card: Simulation) -> None:
    """`torch.cuda.FloatTensor` and its kin are constructed, asked for, and converted to."""
    cuda: Any = torch.cuda  # the stubs do not have these types
    sized, of_values = cuda.FloatTensor(2, 3), cuda.LongTensor([1, 2])
    assert (str(sized.device), sized.shape, sized.dtype) == ("cuda:0", (2, 3), torch.float32)
    assert cuda.HalfTensor(sized.shape).shape == (2, 3)
    assert isinstance(of_values, cuda.LongTensor)
    assert not isinstance(of_values, cuda.FloatTensor)
    assert not isinstance(torch.ones(2), cuda.FloatTensor)
    assert of_values.type() == "torch.cuda.LongTensor"
    moved = torch.tensor([0.5, 1.5]).type(cuda.IntTensor)
    assert isinstance(moved, cuda.IntTensor)
    if card.compute == "cpu":
        assert of_values.tolist() == [1, 2]
        assert moved.tolist() == [0, 1]
