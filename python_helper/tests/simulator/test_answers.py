"""What is answered for values that were never computed: as in a run that goes on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_simulator.simulation import Simulation

    from .conftest import StartGpu

CUDA = "cuda"


def scores() -> torch.Tensor:
    """Of a batch, on the GPU."""
    return torch.randn(8, 5, device=CUDA)


def attend(width: int, dtype: torch.dtype, mask: torch.Tensor | None = None) -> None:
    """Attend to 50 positions, there and back."""
    query = torch.randn(2, 4, 50, width, device=CUDA, dtype=dtype, requires_grad=True)
    F.scaled_dot_product_attention(query, query, query, attn_mask=mask).sum().backward()


# As tutorials have them: each ends a program where a number is zero, or where something is wrong.
GOES_ON: dict[str, Callable[[], object]] = {
    "divided by": lambda: 1 / (scores() > 0).float().mean().item(),
    "signal to noise": lambda: 10 * math.log10(1 / scores().square().mean().item()),
    "logarithm": lambda: math.log(scores().exp().mean().item()),
    "root": lambda: math.sqrt(scores().square().mean()),
    "normal": lambda: torch.distributions.Normal(scores(), scores().exp()).rsample(),
    "categories": lambda: torch.distributions.Categorical(logits=scores()).sample(),
    "coin": lambda: torch.distributions.Bernoulli(scores().sigmoid()).sample(),
    "rows": lambda: scores().unique(dim=0),
    "margins": lambda: F.multi_margin_loss(
        scores().requires_grad_(), torch.zeros(8, dtype=torch.long, device=CUDA)
    ).backward(),
    "attention with a mask": lambda: attend(32, torch.float32, scores().new_ones(50, 50) > 0),
    "many variables": lambda: torch.distributions.MultivariateNormal(
        scores()[0], torch.eye(5, device=CUDA)
    ).log_prob(scores()[0]),
}


@pytest.mark.parametrize("program", GOES_ON)
def test_a_program_goes_on(gpu: Simulation, program: str) -> None:
    """With values too."""
    torch.manual_seed(0)
    GOES_ON[program]()
    del gpu


def test_what_should_be_so_is_so(gpu: Simulation) -> None:
    """An `assert` of a sound run holds."""
    tensor = scores().abs()
    assert (tensor == tensor.clone()).all()
    assert torch.isfinite(tensor).all()
    assert torch.isfinite(tensor).all(dim=1).all()
    assert not torch.isnan(tensor).any()
    assert bool(torch.all(tensor >= 0)) is True
    assert tensor.min() >= 0
    assert tensor.max().cpu() < 9, "as a mask is looked at"
    assert not tensor.max() > 9
    del gpu


# As CUDA takes them and PyTorch's forms without values do not: a number of the host in its place.
BESIDE: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "masked_fill": lambda x, number: x.masked_fill(x > 0, number),
    "masked_fill_": lambda x, number: x.clone().masked_fill_(x > 0, number),
    "copysign": torch.copysign,
}


@pytest.mark.parametrize("operator", BESIDE)
def test_a_number_of_the_host_goes_with_a_gpu(gpu: Simulation, operator: str) -> None:
    """Mask in Transformers: `scores.masked_fill(mask, torch.tensor(-1e9))`."""
    result = BESIDE[operator](scores(), torch.tensor(-1e9))
    assert (result.shape, result.device.type) == ((8, 5), CUDA)
    assert torch.cuda.memory_allocated() > 0
    del gpu


def test_unknown_numbers_are_small_and_can_be_divided_by(start_gpu: StartGpu) -> None:
    """A number is finite, and not nothing. Many have a sum and a deviation, the same each time."""
    start_gpu("1 GiB", "meta")
    number = scores().sum().item()
    assert 0 < number < 1e-5
    assert scores().argmax().item() == 0
    many = scores().cpu()
    assert 0 < many.min() < many.max() < 1e-5
    assert torch.equal(many, scores().cpu())
    chances = many.double().numpy().ravel()
    np.random.default_rng(0).choice(len(chances), p=chances / chances.sum())


def test_no_gradient_is_found_that_is_not_finite(start_gpu: StartGpu) -> None:
    """`GradScaler` makes its step, and the optimizer's state is there."""
    start_gpu("1 GiB", "meta")
    layer = nn.Linear(64, 64).cuda()
    optimizer, scaler = torch.optim.AdamW(layer.parameters()), torch.amp.GradScaler(CUDA)
    for _ in range(2):
        optimizer.zero_grad()
        with torch.autocast(CUDA, dtype=torch.float16):
            loss = layer(torch.randn(4, 64, device=CUDA)).square().mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
    assert len(optimizer.state) == 2


def test_values_that_were_replaced_have_no_owner(valued_gpu: Simulation) -> None:
    """Another storage may lie where they were."""
    result = torch.empty(0, device=CUDA)
    for count in (3, 500, 7000):
        torch.add(torch.ones(count, device=CUDA), 1, out=result.resize_(0))
    memory = valued_gpu._machine.memory
    hosts = {storage.host._cdata for storage in memory._live.values() if storage.host is not None}
    assert hosts == set(memory._by_host)
