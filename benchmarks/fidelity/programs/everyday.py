"""What surrounds training: data, inference, copies, files, and operators of every day."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it
from torch.utils.data import DataLoader, TensorDataset

from .program import Collection
from .training import fit, perceptron, train

if TYPE_CHECKING:
    from collections.abc import Callable

COLLECTION = Collection("Around training, and operators")


@COLLECTION.program()
def loader() -> None:
    """Batches from a DataLoader with pinned memory, and losses that are read."""
    data = TensorDataset(torch.randn(4096, 1024), torch.zeros(4096, dtype=torch.long))
    model = perceptron()
    optimizer = torch.optim.AdamW(model.parameters())
    total = 0.0
    for inputs, classes in DataLoader(data, batch_size=512, pin_memory=True):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs.to("cuda", non_blocking=True)), classes.cuda())
        loss.backward()
        optimizer.step()
        total += loss.item()


@COLLECTION.program()
def inference() -> None:
    """Predictions in inference mode, copied to the host."""
    model = perceptron().eval()
    with torch.inference_mode():
        for _ in range(8):
            model(torch.randn(4096, 1024).cuda()).cpu()


@COLLECTION.program()
def cache_of_keys_and_values() -> None:
    """A text of 256 tokens whose keys and values are concatenated token by token."""
    keys = values = torch.empty(24, 16, 0, 64, device="cuda", dtype=torch.float16)
    with torch.no_grad():
        for _ in range(256):
            new = torch.randn(24, 16, 1, 64, device="cuda", dtype=torch.float16)
            keys, values = torch.cat([keys, new], 2), torch.cat([values, new], 2)
            F.scaled_dot_product_attention(new, keys, values)


@COLLECTION.program()
def deep_copy() -> None:
    """A copy of a model with a shared weight."""
    model = perceptron()
    model[2].weight = model[0].weight
    twin = copy.deepcopy(model)
    twin(torch.randn(8, 1024, device="cuda"))


@COLLECTION.program()
def checkpoint_on_disk() -> None:
    """Model and optimizer saved, loaded to the GPU, and trained on."""
    model = perceptron()
    optimizer = torch.optim.AdamW(model.parameters())
    inputs = torch.randn(64, 1024, device="cuda")
    fit(model, optimizer, inputs, steps=1)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "kept.pt")
    found = torch.load("kept.pt", map_location="cuda", weights_only=True)
    model.load_state_dict(found["model"])
    optimizer.load_state_dict(found["optimizer"])
    fit(model, optimizer, inputs, steps=2)


@COLLECTION.program()
def to_the_host_and_back() -> None:
    """A model that leaves the GPU with its gradients, and comes back."""
    model = perceptron(2048)
    inputs = torch.randn(64, 2048, device="cuda")
    fit(model, torch.optim.SGD(model.parameters()), inputs, steps=1)
    model.cpu()
    torch.cuda.empty_cache()
    model.cuda()
    fit(model, torch.optim.SGD(model.parameters()), inputs, steps=1)


@COLLECTION.program()
def functional_transforms() -> None:
    """`torch.func`: a vectorised map, gradients, a Hessian."""
    # The map first: what backward's thread frees last may still be there for a moment afterwards.
    torch.func.vmap(lambda each: each * 2)(torch.randn(1024, 512, device="cuda"))
    values = torch.randn(512, device="cuda")
    torch.func.grad(lambda each: (each**2).sum())(values)
    torch.autograd.functional.hessian(lambda each: (each**3).sum(), values[:16])


@COLLECTION.program()
def second_derivatives() -> None:
    """A penalty on the norm of the gradient."""
    model = perceptron(512)
    inputs = torch.randn(256, 512, device="cuda", requires_grad=True)

    def loss_of() -> torch.Tensor:
        scores = model(inputs).sum()
        (gradient,) = torch.autograd.grad(scores, inputs, create_graph=True)
        result: torch.Tensor = scores + gradient.square().sum()
        return result

    train(torch.optim.Adam(model.parameters()), loss_of)


@COLLECTION.program()
def frozen_layers() -> None:
    """A model of which only the head is trained."""
    model = nn.Sequential(perceptron(2048).requires_grad_(requires_grad=False), nn.Linear(2048, 10))
    head = model.cuda()[1]
    inputs = torch.randn(4096, 2048, device="cuda")
    train(torch.optim.AdamW(head.parameters()), lambda: model(inputs).square().mean())


@COLLECTION.program()
def adversaries() -> None:
    """Two networks that are trained against each other."""
    maker, judge = perceptron(512), perceptron(512)
    optimizers = [torch.optim.Adam(each.parameters()) for each in (maker, judge)]
    for _ in range(2):
        noise = torch.randn(1024, 512, device="cuda")
        train(optimizers[1], lambda: judge(maker(noise).detach()).mean(), steps=1)  # noqa: B023 -- called at once
        train(optimizers[0], lambda: -judge(maker(noise)).mean(), steps=1)  # noqa: B023 -- called at once


@COLLECTION.program()
def replay() -> None:
    """Transitions that are kept on the GPU, of which batches are drawn."""
    kept = torch.zeros(50_000, 128, device="cuda")
    model, target = perceptron(128), perceptron(128)
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(4):
        kept[step * 64 : (step + 1) * 64] = torch.randn(64, 128, device="cuda")
        batch = kept[torch.randint(0, 50_000, (1024,), device="cuda")]
        with torch.no_grad():
            wanted = target(batch).max(1).values
        train(optimizer, lambda: F.mse_loss(model(batch).max(1).values, wanted), steps=1)  # noqa: B023 -- called at once


SIZE = (4096, 2048)
OPERATORS: dict[str, Callable[[torch.Tensor], object]] = {
    "sort": lambda t: t.sort(),
    "topk": lambda t: t.topk(50),
    "argsort": lambda t: t.argsort(1),
    "cumsum": lambda t: t.cumsum(1),
    "cumprod": lambda t: t.cumprod(1),
    "logsumexp": lambda t: t.logsumexp(1),
    "var_mean": lambda t: torch.var_mean(t, 1),
    "sum_of_all": lambda t: t.sum(),
    "max_of_all": lambda t: t.max(),
    "median": lambda t: t.median(1),
    "quantile": lambda t: t.quantile(0.5, 1),
    "multinomial": lambda t: torch.multinomial(t.abs() + 1, 4),
    "randperm": lambda _: torch.randperm(10_000_000, device="cuda"),
    "gather": lambda t: t.gather(1, torch.zeros(4096, 16, dtype=torch.long, device="cuda")),
    "scatter": lambda t: t.scatter_add(1, torch.zeros_like(t, dtype=torch.long), t),
    "index_add": lambda t: t.index_add(0, torch.zeros(4096, dtype=torch.long, device="cuda"), t),
    "index_put": lambda t: t.index_put(
        (torch.zeros(100, dtype=torch.long, device="cuda"),), t[:100], accumulate=True
    ),
    "cat": lambda t: torch.cat([t] * 4),
    "stack": lambda t: torch.stack([t] * 4),
    "einsum": lambda t: torch.einsum("ab,cb->ac", t, t),
    "batched_product": lambda t: torch.bmm(t.view(8, 512, 2048), t.view(8, 2048, 512)),
    "distances": lambda t: torch.cdist(t, t),
    "where": lambda t: torch.where(t > 0, t, 0.0),
    "comparison_of_all": lambda t: torch.allclose(t, t),
    "one_hot": lambda t: F.one_hot(torch.zeros(4096, dtype=torch.long, device="cuda"), 2048) + t,
    "roll": lambda t: t.roll(1, 1),
    "flip": lambda t: t.flip(0),
    "pad": lambda t: F.pad(t, (1, 1, 1, 1)),
    "unfold": lambda t: F.unfold(t.view(8, 16, 256, 256), 3),
    "interpolation": lambda t: F.interpolate(t.view(8, 16, 256, 256), scale_factor=2),
    "fourier_transform": torch.fft.rfft2,
    "norm": torch.linalg.norm,
    "outer_product": lambda t: torch.outer(t[0], t[1]),
    "standardised": lambda t: (t - t.mean(1, keepdim=True)) / t.std(1, keepdim=True),
    "types": lambda t: [t.half(), t.double(), t.bool(), t.to(torch.int8)],
    "complex": lambda t: torch.view_as_complex(t.view(4096, 1024, 2)).abs(),
    "in_place": lambda t: t.mul_(2).add_(1).clamp_(0).relu_(),
    "chained": lambda t: ((t * 2 + 1).relu() - 3).tanh().sigmoid().exp(),
    "read": lambda t: [t.sum().item(), bool((t > 0).all()), t[0].tolist(), float(t[0, 0])],
    "printed": repr,
    "counted": lambda t: ((t.argmax(1) == 0).sum(), (t > 0).sum(), t.count_nonzero()),
    "cumulated_mask": lambda t: (t > 0).cumsum(1),
    "different": lambda t: t.unique(),
    "different_with_places": lambda t: t.unique(return_inverse=True),
    "scattered_by_mask": lambda t: t.masked_scatter(t > 0, t),
}


def _operate(operator: Callable[[torch.Tensor], object]) -> None:
    tensor = torch.randn(SIZE, device="cuda")
    for _ in range(2):
        operator(tensor)


for _name, _operator in OPERATORS.items():
    COLLECTION.add(
        f"operator_{_name}", f"Operator: {_name.replace('_', ' ')}", partial(_operate, _operator)
    )
