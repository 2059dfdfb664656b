"""Sparse tensors by coordinates: made, computed with, and what they take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_simulator.simulation import Simulation
    from tests.simulator.conftest import StartCard

# PyTorch says once in a process that it does not look at the places.
pytestmark = pytest.mark.filterwarnings("ignore:Sparse invariant checks:UserWarning")

PLACES: Any = [[0, 1, 1], [1, 0, 0]]
NUMBERS = [1.0, 2.0, 3.0]
KIB = 2**10


def sparse(device: str) -> torch.Tensor:
    """Return a matrix in which one place is twice."""
    return torch.sparse_coo_tensor(PLACES, NUMBERS, (3, 4), device=device)


def of_tensors(device: str) -> torch.Tensor:
    """Return the same of tensors that are there."""
    places, numbers = (torch.tensor(each, device=device) for each in (PLACES, NUMBERS))
    return torch.sparse_coo_tensor(places, numbers, (3, 4))


def dense(device: str) -> torch.Tensor:
    """Return a matrix to multiply with."""
    return torch.arange(20.0).reshape(4, 5).to(device)


def gradient_of_product(device: str) -> torch.Tensor | None:
    """Return the gradient of the dense matrix."""
    matrix = dense(device).requires_grad_()
    torch.sparse.mm(sparse(device), matrix).square().sum().backward()
    return matrix.grad


def table(device: str) -> tuple[nn.Embedding, torch.Tensor]:
    """Return a table whose gradients are sparse, and ids of which one is twice."""
    torch.manual_seed(0)
    return nn.Embedding(20, 4, sparse=True).to(device), torch.tensor([1, 2, 2, 3], device=device)


def accumulated(device: str) -> torch.Tensor | None:
    """Return the gradients of three batches."""
    embedding, ids = table(device)
    for _ in range(3):
        embedding(ids).square().sum().backward()
    return embedding.weight.grad


def used_twice(device: str) -> torch.Tensor | None:
    """Return the gradient of a table that was used twice, after one that was set to zero."""
    embedding, ids = table(device)
    embedding(ids).sum().backward()
    embedding.zero_grad(set_to_none=False)
    (embedding(ids).sum() + embedding(ids + 1).sum()).backward()
    return embedding.weight.grad


def changed_by_a_hook(device: str) -> torch.Tensor | None:
    """Return a gradient that a hook has changed, while it kept what it was given."""
    embedding, ids = table(device)
    kept = []

    def double(gradient: torch.Tensor) -> torch.Tensor:
        kept.append(gradient)
        return gradient.clone().mul_(2)

    embedding.weight.register_hook(double)
    embedding(ids).square().sum().backward()
    assert embedding.weight.grad is not None
    return embedding.weight.grad - kept[0]


def trained(
    optimizer: Callable[..., torch.optim.Optimizer], **options: float
) -> Callable[..., torch.Tensor]:
    """Return a function that trains a table."""

    def train(device: str) -> torch.Tensor:
        embedding, ids = table(device)
        steps = optimizer(list(embedding.parameters()), lr=0.1, **options)
        for _ in range(3):
            steps.zero_grad()
            embedding(ids).square().sum().backward()
            assert embedding.weight.grad is not None
            assert embedding.weight.grad.is_sparse
            assert embedding.weight.grad.device.type == device
            steps.step()
        return embedding.weight.detach()

    return train


PROGRAMS: dict[str, Callable[[str], torch.Tensor | None]] = {
    "of lists": sparse,
    "of tensors": of_tensors,
    "of the host": lambda device: sparse("cpu").to(device),
    "of a dense one": lambda device: torch.eye(3, 4, device=device).to_sparse(),
    "of rows": lambda device: torch.eye(3, 4, device=device).to_sparse(1),
    "coalesced": lambda device: sparse(device).coalesce(),
    "dense": lambda device: sparse(device).to_dense(),
    "product": lambda device: torch.sparse.mm(sparse(device), dense(device)),
    "product with a vector": lambda device: sparse(device) @ dense(device)[:, 0],
    "product and sum": lambda device: torch.sparse.addmm(
        torch.ones(3, 5, device=device), sparse(device), dense(device)
    ),
    "gradient of a product": gradient_of_product,
    "scaled": lambda device: sparse(device) * 2,
    "negative": lambda device: -sparse(device),
    "sum of two": lambda device: sparse(device) + sparse(device),
    "sum with a dense one": lambda device: torch.ones(3, 4, device=device) + sparse(device),
    "added in place": lambda device: torch.ones(3, 4, device=device).add_(sparse(device), alpha=-2),
    "masked": lambda device: dense(device)[:3, :4].sparse_mask(sparse(device).coalesce()),
    "transposed": lambda device: sparse(device).t(),
    "cloned": lambda device: sparse(device).clone(),
    "in another type": lambda device: sparse(device).double(),
    "accumulated gradients": accumulated,
    "gradient of a table used twice": used_twice,
    "gradient changed by a hook": changed_by_a_hook,
    "SGD": trained(torch.optim.SGD),
    "SGD with momentum": trained(torch.optim.SGD, momentum=0.9),
    "SparseAdam": trained(torch.optim.SparseAdam),
    "Adagrad": trained(torch.optim.Adagrad),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_card_has_what_the_host_has(card: Simulation, name: str) -> None:
    """The same size, type and layout, and with values the same values; all of it goes again."""
    wanted, found = (PROGRAMS[name](device) for device in ("cpu", "cuda"))
    assert wanted is not None
    assert found is not None
    assert found.is_cuda
    assert (found.shape, found.dtype, found.layout) == (wanted.shape, wanted.dtype, wanted.layout)
    back = found.cpu()
    assert back.layout == wanted.layout
    if card.compute == "cpu":
        assert torch.allclose(back.to_dense(), wanted.to_dense())
    del found
    assert card.allocator.allocated == 0


def test_what_a_sparse_tensor_takes_is_its_indices_and_values(card: Simulation) -> None:
    """Eight bytes for each index, and the values as they are; coalesced ones are made anew."""
    tensor = torch.sparse_coo_tensor(
        torch.arange(KIB, device="cuda").repeat(2, 1), torch.ones(KIB, device="cuda"), (KIB, KIB)
    )
    assert card.allocator.allocated == 2 * 8 * KIB + 4 * KIB
    assert tensor.indices is not None
    torch.cuda.reset_peak_memory_stats()
    ordered = tensor.coalesce()
    assert card.allocator.allocated == 2 * (2 * 8 * KIB + 4 * KIB)
    assert torch.cuda.max_memory_allocated() >= card.allocator.allocated + 3 * 8 * KIB
    assert ordered._nnz() == KIB


def test_places_that_are_alike_are_known_with_values_alone(card: Simulation) -> None:
    """Without them each may be another one."""
    assert sparse("cuda").coalesce()._nnz() == (2 if card.compute == "cpu" else 3)
    assert torch.eye(3, device="cuda").to_sparse()._nnz() == (3 if card.compute == "cpu" else 9)


def test_a_sparse_tensor_says_where_it_is(card: Simulation) -> None:
    """So do its parts."""
    tensor = sparse("cuda")
    assert str(tensor.device) == str(tensor._values().device) == "cuda:0"
    assert "device='cuda:0'" in repr(tensor)
    assert "sparse_coo" in repr(tensor)
    with pytest.raises(RuntimeError, match="same device"):
        torch.sparse.mm(tensor, dense("cpu"))
    del card


def test_what_does_not_fit_is_refused_before_it_is_computed(start_card: StartCard) -> None:
    """A matrix of 64 TiB, of which the host could not make the zeros either."""
    start_card("1 GiB", "cpu")
    places, numbers = (torch.tensor(each, device="cuda") for each in (PLACES, NUMBERS))
    tensor = torch.sparse_coo_tensor(places, numbers, (2**22, 2**22))
    with pytest.raises(torch.OutOfMemoryError, match=r"65536\.00 GiB"):
        tensor.to_dense()
