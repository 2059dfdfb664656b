"""Training on the simulated GPU as people write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it
from torch.utils.checkpoint import checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_simulator.simulation import Simulation


def train(model: nn.Module, optimizer: Any, inputs: Any, classes: Any, steps: int) -> list[float]:
    """Train on one batch and return the losses."""
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(model(inputs), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def small_model() -> nn.Sequential:
    """Return a model that is quick to train."""
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4))


def gradients_of(model: nn.Module) -> list[torch.Tensor]:
    """Return the gradients that the parameters have."""
    return [p.grad for p in model.parameters() if p.grad is not None]


def small_batch() -> tuple[torch.Tensor, torch.Tensor]:
    """Return inputs with classes that can be told from them, on the host."""
    inputs = torch.randn(128, 16, generator=torch.Generator().manual_seed(0))
    return inputs, inputs[:, :4].argmax(1)


OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    "Adam": lambda p: torch.optim.Adam(p, lr=0.01, foreach=False),
    "AdamW, fused": lambda p: torch.optim.AdamW(p, lr=0.01, fused=True),
    "AdamW, capturable": lambda p: torch.optim.AdamW(p, lr=0.01, capturable=True),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_trains_and_frees_what_it_took(gpu: Simulation, name: str) -> None:
    """With values the loss falls; without, it runs; and nothing stays on the GPU afterwards."""
    inputs, classes = small_batch()
    torch.manual_seed(0)
    model = small_model().cuda()
    optimizer = OPTIMIZERS[name](model.parameters())
    losses = train(model, optimizer, inputs.cuda(), classes.cuda(), 30)
    if gpu.compute == "cpu":
        assert losses[-1] < 0.6 * losses[0]
    del model, optimizer
    torch._C._cuda_clearCublasWorkspaces()
    assert gpu.allocator.allocated == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast_computes_in_the_lower_type(gpu: Simulation, dtype: torch.dtype) -> None:
    """Matrix products are in the lower type, losses and normalisation in float32."""
    model, (inputs, classes) = small_model().cuda(), small_batch()
    scaler = torch.amp.GradScaler("cuda", enabled=dtype is torch.float16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch.autocast("cuda", dtype=dtype):
        hidden = model[0](inputs.cuda())
        logits = model(inputs.cuda())
        assert hidden.dtype is dtype
        assert model[2](hidden).dtype is torch.float32
        assert (inputs.cuda() @ inputs.cuda().T).dtype is dtype
        loss = F.cross_entropy(logits, classes.cuda())
        assert hidden.sum().dtype is hidden.softmax(1).dtype is torch.float32
        assert F.cross_entropy(logits, classes.cuda(), label_smoothing=0.1).dtype is torch.float32
        with torch.autocast("cuda", enabled=False):
            assert model[0](inputs.cuda()).dtype is torch.float32
    assert logits.dtype is dtype
    assert loss.dtype is torch.float32
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    assert nn.utils.clip_grad_norm_(model.parameters(), 1.0).is_cuda
    scaler.step(optimizer)
    scaler.update()
    assert {gradient.dtype for gradient in gradients_of(model)} == {torch.float32}
    del gpu


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpointing_gives_the_same_gradients(valued_gpu: Simulation, reentrant: bool) -> None:
    """Both kinds of checkpoint, with dropout, compute what the plain program does."""
    model = nn.Sequential(nn.Linear(16, 16), nn.Dropout(0.5), nn.Linear(16, 16)).cuda()
    inputs = torch.randn(4, 16, device="cuda", requires_grad=True)
    gradients = []
    for checkpointed in (False, True):
        torch.cuda.manual_seed(3)
        model.zero_grad()
        result: Any = (
            checkpoint(model, inputs, use_reentrant=reentrant) if checkpointed else model(inputs)
        )
        result.square().sum().backward()
        gradients.append(gradients_of(model)[0].cpu().clone())
    assert torch.allclose(gradients[0], gradients[1])
    del valued_gpu


def test_hooks_and_functions_run_in_backward_on_the_gpu(gpu: Simulation) -> None:
    """A hook and a `torch.autograd.Function` may make tensors on the GPU in backward."""
    results = []

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(value)
            return value * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (value,) = ctx.saved_tensors
            results.append(value.is_cuda)
            return grad * torch.full((), 2.0, device="cuda")

    tensor = torch.ones(3, device="cuda", requires_grad=True)
    tensor.register_hook(lambda grad: grad + torch.ones(3, device=grad.device))
    double: Any = Double
    double.apply(tensor).sum().backward()
    assert tensor.grad is not None
    assert tensor.grad.is_cuda
    assert results == [True]
    if gpu.compute == "cpu":
        assert tensor.grad.tolist() == [3.0] * 3
