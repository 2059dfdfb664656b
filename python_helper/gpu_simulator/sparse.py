"""Sparse tensors by coordinates: two dense tensors, the indices and the values, that are charged.

What follows from values alone is how many different places there are. Without values it is the most
that it can be: coalescing finds no two alike, and a dense tensor has no zero in it. The buffers are
those of PyTorch's `aten/src/ATen/native/sparse/cuda`, measured with 2.13. Sizes in bytes.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import torch

from .masks import together
from .torch_internals import CPU, META, in_kernel, tensors_in, without_dispatch
from .unsupported import not_simulated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .card import Card
    from .machine import Machine
    from .operations import Operation
    from .torch_internals import Arguments, Keywords

    Bound = dict[str, Any]
    Sizes = Sequence[int | tuple[int, ...]]

_LOOKS = {
    *("_indices", "_values", "indices", "values", "detach", "alias"),
    *("_nnz", "is_coalesced", "_coalesced_", "sparse_dim", "dense_dim"),
}
"""Operators that make nothing and change nothing that is charged; device "meta" has them."""

ONE_BY_ONE = {"_foreach_add_": torch.Tensor.add_, "_foreach_mul_": torch.Tensor.mul_}
"""Operators on lists of tensors."""

_REFERENCES = 5
"""Who refers to a gradient that is the engine's alone while we look at it: its callers here, and
not a hook of the user's. Measured with PyTorch 2.13."""

_INDEX, _SHORT_INDEX = 8, 4
_SORTED_TILE, _UNIQUE_TILE = 4096, 2688
_assemble = torch.ops.aten._sparse_coo_tensor_unsafe.default  # noqa: SLF001 -- does not look at values
_data = torch._C.TensorBase.data  # noqa: SLF001 -- below the property that stands in for it


def is_sparse(tensor: torch.Tensor) -> bool:
    """Whether a tensor is one by coordinates."""
    return tensor.layout is torch.sparse_coo


def concerns_sparse(operation: Operation, args: Arguments, kwargs: Keywords) -> bool:
    """Whether a call takes or makes a sparse tensor."""
    if operation.name == "_embedding_bag_backward" and operation.argument("sparse", args, kwargs):
        return True
    if operation.name in _MAKERS or kwargs.get("layout") is torch.sparse_coo:
        return True
    return any(map(is_sparse, tensors_in((*args, *kwargs.values()), [])))


def parts(tensor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the values and the indices of a sparse tensor, themselves; no mode sees it."""
    with without_dispatch():
        return tensor._values(), tensor._indices()  # noqa: SLF001 -- the names for what is not coalesced


def assemble(
    values: torch.Tensor, indices: torch.Tensor, size: Sequence[int], *, coalesced: bool
) -> torch.Tensor:
    """Return the sparse tensor of these parts."""
    return _assemble(indices, values, size, is_coalesced=coalesced)  # type: ignore[no-any-return]  # operators are Any


def replace(tensor: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Let a sparse tensor be what `other` is, whoever refers to it; return it."""
    _data.__set__(tensor, other)  # type: ignore[attr-defined]  # a slot, which the stubs call a tensor
    return tensor


def run(
    machine: Machine, operation: Operation, args: Arguments, kwargs: Keywords, card: Card | None
) -> Any:
    """Return the result of a call with sparse tensors on `card`; None is the host."""
    if operation.name in _LOOKS:
        with in_kernel():
            return operation.func(*args, **kwargs)
    if operation.name == "clone" and _is_handed_over(args[0]):
        values, indices = parts(args[0])
        return assemble(values, indices, args[0].shape, coalesced=args[0].is_coalesced())
    made = sized(operation, args, kwargs)
    if card is None:
        return machine.compute.run_sparse(operation, args, kwargs, None, made)
    with card.holding(_before(operation, args[0])):
        result = machine.compute.run_sparse(operation, args, kwargs, card, made)
        machine.run_kernel(card, operation, args, kwargs)
    return result


def _is_handed_over(gradient: torch.Tensor) -> bool:
    """Whether the autograd engine keeps the parts of a gradient, and does not copy them.

    With a dispatch mode it always believes that somebody else has them, too.
    """
    in_backward = torch._C._current_graph_task_id() != -1  # noqa: SLF001 -- no public name
    return (
        in_backward
        and sys.getrefcount(gradient) == _REFERENCES
        and all(part.is_contiguous() for part in parts(gradient))
    )


def run_one_by_one(
    operation: Operation, tensors: Sequence[torch.Tensor], other: Any, **kwargs: Any
) -> None:
    """Change tensors in place one after the other, as C++ does where any is sparse."""
    change = ONE_BY_ONE[operation.name]
    others = other if isinstance(other, (list, tuple)) else [other] * len(tensors)
    for tensor, each in zip(tensors, others, strict=True):
        change(tensor, each, **kwargs)


def sized(operation: Operation, args: Arguments, kwargs: Keywords) -> Any:
    """Return the result of a call without values; raise where its size is not known."""
    answer = _ANSWERS.get(operation.name)
    if answer is None:
        raise not_simulated(f"sparse tensors in {operation.name}")
    with in_kernel():
        return answer({**dict(zip(operation.arguments, args, strict=False)), **kwargs})


def zeros_on_host(tensor: torch.Tensor) -> torch.Tensor:
    """Return a sparse tensor on the host, of the same size and places, that are all the first."""
    values, indices = (
        torch.zeros(part.shape, dtype=part.dtype, device=CPU) for part in parts(tensor)
    )
    return assemble(values, indices, tensor.shape, coalesced=tensor.is_coalesced())


def _before(operation: Operation, tensor: torch.Tensor) -> Sizes:
    """Return what a kernel takes before it makes its result, and has until the end.

    Of coalescing's three rows of places one becomes the result's where that has one row of indices.
    """
    if operation.name == "sparse_mask":
        return [4]
    if operation.name != "_coalesce":
        return []
    places = _INDEX * tensor._nnz()  # noqa: SLF001 -- no public name
    made = tensor.sparse_dim() == 1
    others = (places,) if made else ()
    kept = [places] * (2 if made else 3)
    return [*kept, *((*others, each) for each in _sorting(tensor))]


def _coalescing(tensor: torch.Tensor) -> list[int | tuple[int, ...]]:
    """Return what coalescing takes for a result that the kernel keeps until its own is there."""
    if tensor.is_coalesced():
        return []
    places = (_INDEX * tensor._nnz(),) * 3  # noqa: SLF001 -- as above
    made = tuple([_bytes(part) for part in parts(tensor)])
    return [*((*places, each) for each in _sorting(tensor)), (*places, *made), *made]


def _sorting(tensor: torch.Tensor) -> tuple[int, int]:
    """Return the buffers of sorting places, and of finding those that are different."""
    nnz = tensor._nnz()  # noqa: SLF001 -- as above
    return _sort_buffer(nnz), _unique_buffer(nnz)


def _sort_buffer(items: int) -> int:
    """Return the buffer of CUB's merge sort of places with their positions."""
    tiles = -(-items // _SORTED_TILE)
    return together(items * _INDEX, items * _INDEX, (tiles + 1) * _INDEX)


def _unique_buffer(items: int) -> int:
    """Return the buffer of Thrust's choice of different places."""
    tiles = -(-items // _UNIQUE_TILE)
    return together(1, 1, (tiles + 32) * 16)


def _bytes(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _like(
    tensor: torch.Tensor, *, coalesced: bool, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """Return a sparse tensor of the same places, with memory of its own."""
    values, indices = parts(tensor)
    return assemble(
        torch.empty(values.shape, dtype=dtype or values.dtype, device=META),
        torch.empty(indices.shape, dtype=torch.long, device=META),
        tensor.shape,
        coalesced=coalesced,
    )


def _made(bound: Bound) -> torch.Tensor:
    """Return what is made of two tensors on a card: they stay what they are."""
    return assemble(
        bound["values"], bound["indices"], bound["size"], coalesced=bool(bound.get("is_coalesced"))
    )


def _copied(bound: Bound) -> torch.Tensor:
    tensor = bound["self"]
    return _like(tensor, coalesced=tensor.is_coalesced(), dtype=bound.get("dtype"))


def _joined(bound: Bound) -> torch.Tensor:
    """Return a sum: dense where one is, and else with the places of both."""
    tensor, other = bound["self"], bound["other"]
    dense = next((each for each in (tensor, other) if not is_sparse(each)), None)
    if dense is not None:
        return torch.empty(dense.shape, dtype=torch.result_type(tensor, other), device=META)
    values, indices = zip(parts(tensor), parts(other), strict=True)
    return assemble(torch.cat(values), torch.cat(indices, 1), tensor.shape, coalesced=False)


def _joined_in_place(bound: Bound) -> torch.Tensor:
    return _joined(bound) if is_sparse(bound["self"]) else bound["self"]


def _scaled(bound: Bound) -> torch.Tensor:
    tensor, other = bound["self"], bound["other"]
    if isinstance(other, torch.Tensor) and other.dim() > 0:
        raise not_simulated("products of sparse tensors by elements")
    return _like(tensor, coalesced=tensor.is_coalesced())


def _scaled_in_place(bound: Bound) -> torch.Tensor:
    """Return what a product becomes in place: PyTorch forgets that its places are different."""
    values, indices = parts(_scaled(bound))
    return assemble(values, indices, bound["self"].shape, coalesced=False)


def _emptied(bound: Bound) -> torch.Tensor:
    tensor = bound["self"]
    values, indices = parts(tensor)
    return assemble(
        torch.empty((0, *values.shape[1:]), dtype=values.dtype, device=META),
        torch.empty((indices.size(0), 0), dtype=torch.long, device=META),
        tensor.shape,
        coalesced=True,
    )


def _masked(bound: Bound) -> torch.Tensor:
    """Return a dense tensor's elements at the places of a sparse one."""
    tensor, mask = bound["self"], bound["mask"]
    if is_sparse(tensor):
        raise not_simulated("sparse tensors in sparse_mask")
    return _like(mask, coalesced=mask.is_coalesced(), dtype=tensor.dtype)


def _dense(bound: Bound) -> torch.Tensor:
    tensor = bound["self"]
    return torch.empty(tensor.shape, dtype=bound.get("dtype") or tensor.dtype, device=META)


def _all_places(bound: Bound) -> torch.Tensor:
    """Return a dense tensor as a sparse one: of all elements, or of rows of them."""
    tensor = bound["self"]
    if bound.get("layout") not in (None, torch.sparse_coo):
        raise not_simulated("compressed sparse tensors")
    rows = bound.get("sparse_dim") or tensor.dim()
    places = math.prod(tensor.shape[:rows])
    return assemble(
        torch.empty((places, *tensor.shape[rows:]), dtype=tensor.dtype, device=META),
        torch.empty((rows, places), dtype=torch.long, device=META),
        tensor.shape,
        coalesced=True,
    )


def _transposed(bound: Bound) -> torch.Tensor:
    tensor = bound["self"]
    result = _like(tensor, coalesced=False)
    values, indices = parts(result)
    return assemble(values, indices, tensor.shape[::-1], coalesced=False)


def _product(names: tuple[str, str]) -> Callable[[Bound], torch.Tensor]:
    """Return a function for a product of a sparse matrix and a dense one, which is dense."""

    def answer(bound: Bound) -> torch.Tensor:
        left, right = (bound[name] for name in names)
        if not is_sparse(left) or is_sparse(right):
            raise not_simulated("products with a sparse second matrix")
        return torch.empty((left.size(0), *right.shape[1:]), dtype=right.dtype, device=META)

    return answer


def _product_buffers(names: tuple[str, str], *, starts: bool) -> Callable[[Bound], Sizes]:
    """Return a function for the buffers of a product, of which cuSPARSE's own are not known.

    `starts`: the kernel makes the zeros that it adds to.
    """

    def buffers(bound: Bound) -> Sizes:
        left, right = (bound[name] for name in names)
        if not is_sparse(left):
            return ()
        result = left.size(0) * math.prod(right.shape[1:]) * right.element_size()
        places = _SHORT_INDEX * left._nnz()  # noqa: SLF001 -- no public name
        copies = [] if 1 in right.stride() else [_bytes(right)]
        rows = _SHORT_INDEX * (left.size(0) + 1)
        zeros = [result] if starts else []
        return [*zeros, *_coalescing(left), rows, (places,), places, result, *copies]

    return buffers


def _places_of_other(bound: Bound) -> Sizes:
    """Return the places of what is added to a dense tensor, unless they are different rows."""
    tensor, other = bound["self"], bound["other"]
    if is_sparse(tensor) or other.is_coalesced() or other.sparse_dim() == 1:
        return ()
    return [(_INDEX * other._nnz(),)]  # noqa: SLF001 -- as above


_MAKERS = {"_sparse_coo_tensor_with_dims_and_tensors", "_to_sparse"}

_ANSWERS: dict[str, Callable[[Bound], Any]] = {
    "_sparse_coo_tensor_with_dims_and_tensors": _made,
    "_to_sparse": _all_places,
    "_to_dense": _dense,
    "_to_copy": _copied,
    "clone": _copied,
    "neg": _copied,
    "_coalesce": lambda bound: _like(bound["self"], coalesced=True),
    "add": _joined,
    "add_": _joined_in_place,
    "sub": _joined,
    "sub_": _joined_in_place,
    "mul": _scaled,
    "mul_": _scaled_in_place,
    "div": _scaled,
    "zero_": _emptied,
    "sparse_mask": _masked,
    "t": _transposed,
    "mm": _product(("self", "mat2")),
    "mv": _product(("self", "vec")),
    "addmm": _product(("mat1", "mat2")),
    "_sparse_addmm": _product(("mat1", "mat2")),
}

INDICES_FIRST = {"add", "add_", "sub", "sub_", "mul", "mul_", "div", "_to_copy"}
"""Operators that make the indices of their result before its values."""

BUFFERS: dict[str, Callable[[Bound], Sizes]] = {
    "mm": _product_buffers(("self", "mat2"), starts=True),
    "addmm": _product_buffers(("mat1", "mat2"), starts=False),
    "_sparse_addmm": _product_buffers(("mat1", "mat2"), starts=False),
    "mv": _product_buffers(("self", "vec"), starts=True),
    "add_": _places_of_other,
    "sparse_mask": lambda bound: [_bytes(parts(bound["mask"])[0])],
    "t": lambda bound: [(_INDEX * bound["self"]._nnz(),)],  # noqa: SLF001 -- as above
}
"""What kernels take beside their results."""
