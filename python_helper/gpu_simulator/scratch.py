"""Temporary buffers of CUDA's kernels, which are freed when the kernels return.

Results are charged before, as CUDA's operators allocate them first. Included are the buffers that
matter for a peak, as PyTorch's code in `aten/src/ATen/native/cuda` allocates them or as an
estimate; operators that are not here use none, or little. Sizes in bytes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from . import attention
from .reductions import reduction_buffers
from .torch_internals import META

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .operations import Operation

    Arguments = tuple[Any, ...]
    Keywords = dict[str, Any]
    Bound = dict[str, Any]
    Sizes = Sequence[int | tuple[int, ...]]

MASKS = (torch.bool, torch.uint8)
"""Types of tensors that choose where they are true, as indices."""

_MATRIX = 2
_INDEX = 8
"""Bytes of an index, an int64."""
_HALVES = (torch.float16, torch.bfloat16)
_WITH_PLACE, _WELFORD = 16, 16
"""Bytes of a partial result: a value with its place, a mean with its deviation."""


def scratch(operation: Operation, args: Arguments, kwargs: Keywords) -> Sizes:
    """Return the sizes of what the kernel takes beside its results, in its order.

    What is in a tuple is given back before the next is taken.
    """
    sizes = _SCRATCH.get(operation.name)
    if sizes is None:
        return ()
    return sizes({**dict(zip(operation.arguments, args, strict=False)), **kwargs})


def takes_cublas_handle(operation: Operation) -> bool:
    """Whether the kernel is one of cuBLAS."""
    return operation.name in _CUBLAS


def _indices_of_masks(indices: Iterable[torch.Tensor | None]) -> list[int]:
    """Return the sizes of the indices that the masks among `indices` become, at most."""
    masks = (index for index in indices if index is not None and index.dtype in MASKS)
    return [mask.numel() * mask.dim() * _INDEX for mask in masks]


def _bytes_of(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _contiguous(*names: str) -> Callable[[Bound], Sizes]:
    """Return a function for the copies of arguments that the kernel needs contiguous."""

    def copied(bound: Bound) -> Sizes:
        return [_bytes_of(bound[name]) for name in names if not bound[name].is_contiguous()]

    return copied


def _operands(*names: str) -> Callable[[Bound], Sizes]:
    """Return a function for the copies of operands whose strides cuBLAS cannot take."""

    def copied(bound: Bound) -> Sizes:
        return [_bytes_of(bound[name]) for name in names if not _fits_cublas(bound[name])]

    return copied


def _fits_cublas(tensor: torch.Tensor) -> bool:
    """Whether cuBLAS can read a matrix, or a batch of them, as it lies: by rows or by columns."""
    if tensor.dim() < _MATRIX:
        return tensor.stride(0) != 0 or tensor.numel() <= 1
    rows, columns = tensor.size(-2), tensor.size(-1)
    down, across = tensor.stride(-2), tensor.stride(-1)
    if tensor.dim() == _MATRIX and 1 in (rows, columns):  # the other stride says nothing
        down, across = (columns, across) if rows == 1 else (down, rows)
    return (down == 1 and across >= max(1, rows)) or (across == 1 and down >= max(1, columns))


def _reduced(element: int | None = None, *, at_once: int = 4) -> Callable[[Bound], Sizes]:
    """Return a function for the buffers of a reduction with partial results of `element` bytes.

    None is the size of a value, in the type that it is accumulated in.
    """

    def buffers(bound: Bound) -> Sizes:
        tensor, dims = bound["self"], bound.get("dim")
        dims = [dims] if isinstance(dims, int) else dims
        reduced = {dim % tensor.dim() for dim in dims} if dims and tensor.dim() else None
        size = element or max((bound.get("dtype") or tensor.dtype).itemsize, 4)
        everything = set(range(tensor.dim()))
        return reduction_buffers(tensor, reduced or everything, element=size, at_once=at_once)

    return buffers


def _converted(bound: Bound) -> Sizes:
    """Return the buffers of a sum, and the copy that is summed where the result has another type.

    Half precision is read as float32 by the kernel itself (ReduceOps.cpp, `make_reduction`).
    """
    tensor, dtype = bound["self"], _sum_dtype(bound)
    is_read = dtype is tensor.dtype or (dtype is torch.float32 and tensor.dtype in _HALVES)
    return [*([] if is_read else [tensor.numel() * dtype.itemsize]), *_reduced()(bound)]


def _sum_dtype(bound: Bound) -> torch.dtype:
    """Return the type of a sum or product, from its arguments: whole numbers become int64."""
    own, wanted, out = bound["self"].dtype, bound.get("dtype"), bound.get("out")
    if out is not None:
        return out.dtype  # type: ignore[no-any-return]  # arguments are Any
    return wanted or (own if own.is_floating_point or own.is_complex else torch.int64)


def _count_nonzero(bound: Bound) -> Sizes:
    """Return what says where something is, and the buffers of its sum as whole numbers."""
    where = torch.empty_like(bound["self"], dtype=torch.bool, device=META)
    return [_bytes_of(where), *_converted({**bound, "self": where})]


def _cumulated(bound: Bound) -> Sizes:
    """Return the copy in the result's type and order."""
    tensor, dtype = bound["self"], _sum_dtype(bound)
    is_read = dtype is tensor.dtype and tensor.is_contiguous()
    return [] if is_read else [tensor.numel() * dtype.itemsize]


def _softmax_backward(bound: Bound) -> Sizes:
    """Return the product of gradient and result, and the copies of both that are contiguous."""
    gradient, output = bound["grad_output"], bound["output"]
    product = output.numel() * max(gradient.element_size(), output.element_size())
    like = output if 0 in gradient.stride() else gradient
    return [product, *([] if like.is_contiguous() else [product]), *_contiguous("output")(bound)]


def _columns(bound: Bound) -> Sizes:
    """Return the result in the argument's size, which is made first and not enough."""
    return [*_contiguous("self")(bound), _bytes_of(bound["self"])]


def _sort(bound: Bound) -> Sizes:
    """Return a row of indices beside short rows, and beside long ones as much as the result."""
    tensor, dim = bound["self"], bound.get("dim")
    if not tensor.dim() or not tensor.numel():
        return ()
    length = tensor.size(-1 if dim is None else dim)
    is_short = length <= _SMALL_SORT
    return [length * _INDEX if is_short else _bytes_of(tensor) + tensor.numel() * _INDEX]


def _topk(bound: Bound) -> Sizes:
    """Return the copy in order, and how often each digit is in a long row."""
    tensor, dim = bound["self"], bound.get("dim", -1)
    length = tensor.size(dim) if tensor.dim() else 1
    digits = tensor.numel() // length * _DIGITS if length >= _LONG_ROW else 0
    return [*_contiguous("self")(bound), digits]


def _unique(bound: Bound) -> Sizes:
    """Return a copy that is sorted; with places it has these, and both are sorted by copies."""
    tensor = bound["self"]
    places = 2 * tensor.numel() * _INDEX if bound.get("return_inverse") else 0
    return [_bytes_of(tensor) + places]


def _index_put(bound: Bound) -> Sizes:
    """Return masks as indices, or what values for the same place are brought together with."""
    tensor, values = bound["self"], bound["values"]
    given = [index for index in bound["indices"] if index is not None]
    if any(index.dtype in MASKS for index in given):
        # One number is filled in where the mask is.
        return () if values.dim() == 0 and len(given) == 1 else _indices_of_masks(given)
    if not bound.get("accumulate") or not given or not tensor.numel():
        return ()
    items = math.prod(torch.broadcast_shapes(*(index.shape for index in given)))
    return [items * _INDEX] * _SORTED_INDICES


def _embedding_backward(bound: Bound) -> Sizes:
    """Return the buffers for the gradient of an embedding, which few indices do not need.

    Indices are sorted, and the gradients of rows are added up in parts.
    """
    gradient, items = bound["grad_output"], bound["indices"].numel()
    copy = _contiguous("grad_output")(bound)
    if items <= _FEW_INDICES and not bound.get("scale_grad_by_freq"):
        return copy
    parts = items // _ROWS_PER_THREAD + min(items, bound["num_weights"])
    sums = parts * gradient.size(-1) * max(gradient.element_size(), 4)
    return [*copy, *[items * _INDEX] * _SORTED_INDICES, sums]


_SORTED_INDICES = 5
"""Indices and their places, with a copy of both that they are sorted by, and the sorted places."""
_SMALL_SORT = 4096
"""Rows up to this length are sorted in place, beside a row of indices."""
_LONG_ROW, _DIGITS = 400, 256 * 6
"""Row length from which on digits are counted, and the bytes for that."""
_FEW_INDICES = 3072
"""The gradient of an embedding with no more indices is made without sorting."""
_ROWS_PER_THREAD = 10

_CUBLAS = {
    *("mm", "addmm", "bmm", "baddbmm", "linear", "_scaled_mm", "addmv", "addmv_"),
    *("dot", "vdot", "addmm_", "addbmm", "mv", "_addmm_activation", "baddbmm_"),
}

_SCRATCH: dict[str, Callable[[Bound], Sizes]] = {
    **attention.BUFFERS,
    **dict.fromkeys(("mm", "_int_mm", "bmm"), _operands("self", "mat2")),
    **dict.fromkeys(("addmm", "addmm_", "_addmm_activation"), _operands("mat1", "mat2")),
    **dict.fromkeys(("baddbmm", "baddbmm_"), _operands("batch1", "batch2")),
    **dict.fromkeys(("sum", "mean", "nansum", "prod", "linalg_vector_norm", "norm"), _converted),
    **dict.fromkeys(("any", "all"), _reduced(1)),
    **dict.fromkeys(("var", "std", "var_mean", "std_mean"), _reduced(_WELFORD, at_once=2)),
    **dict.fromkeys(("argmax", "argmin", "max", "min"), _reduced(_WITH_PLACE)),
    "count_nonzero": _count_nonzero,
    **dict.fromkeys(("cumsum", "cumprod", "logcumsumexp"), _cumulated),
    **dict.fromkeys(("_softmax", "_log_softmax", "kthvalue"), _contiguous("self")),
    "_softmax_backward_data": _softmax_backward,
    "_log_softmax_backward_data": _contiguous("grad_output", "output"),
    "embedding": _contiguous("indices"),
    "native_layer_norm": _contiguous("input"),
    "native_layer_norm_backward": _contiguous("grad_out", "input"),
    **dict.fromkeys(("im2col", "col2im"), _columns),
    "_fft_r2c": lambda bound: [_bytes_of(bound["self"])] * (len(bound["dim"]) > 1),
    "_fft_c2r": lambda bound: [_bytes_of(bound["self"])],
    "abs": lambda bound: [_bytes_of(bound["self"])] if bound["self"].is_complex() else [],
    "sort": _sort,
    "topk": _topk,
    "multinomial": lambda bound: [_bytes_of(bound["self"]), *_topk({"self": bound["self"]})],
    "randperm": lambda bound: [bound["n"] * _INDEX] * _SORTED_INDICES,
    "_unique2": _unique,
    **dict.fromkeys(("index_put", "index_put_", "_index_put_impl_"), _index_put),
    "embedding_dense_backward": _embedding_backward,
    "index": lambda bound: _indices_of_masks(bound["indices"]),
    "masked_select": lambda bound: _indices_of_masks([bound["mask"]]),
    **dict.fromkeys(
        ("masked_scatter", "masked_scatter_"), lambda bound: [bound["self"].numel() * _INDEX]
    ),
}
"""Buffers of operators' kernels besides their results, by operator."""
