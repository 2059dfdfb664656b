"""What CUDA's kernels take from the allocator for themselves, and give back when they return.

Results are charged before: CUDA's operators make them first. Sizes are those of PyTorch's own code
in `aten/src/ATen/native/cuda`; operators that are not here take nothing, or are not known to.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch
from torch._prims_common import suggest_memory_format

from . import attention, convolutions, copies, masks, normalisation, sorting
from .copies import bytes_of, copy_in_order
from .reductions import reduction_buffers, sum_dtype
from .torch_internals import META, in_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .operations import Operation

    Arguments = tuple[Any, ...]
    Keywords = dict[str, Any]
    Bound = dict[str, Any]

_MATRIX = 2


def scratch(
    operation: Operation, args: Arguments, kwargs: Keywords
) -> Sequence[int | tuple[int, ...]]:
    """Return the sizes of what the kernel takes beside its results, in its order.

    What is in a tuple is given back before the next is taken.
    """
    sizes = _SCRATCH.get(operation.name)
    if sizes is None:
        return ()
    bound = {**dict(zip(operation.arguments, args, strict=False)), **kwargs}
    return sizes(bound)  # type: ignore[no-any-return]  # a table of functions


def takes_cublas_handle(operation: Operation) -> bool:
    """Whether the kernel is one of cuBLAS."""
    return operation.name in _CUBLAS


def _operands(*names: str) -> Callable[[Bound], list[int]]:
    """Return a function for the copies of operands whose strides cuBLAS cannot take."""

    def copied(bound: Bound) -> list[int]:
        return [bytes_of(bound[name]) for name in names if not _fits_cublas(bound[name])]

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


def _reduced(
    *, element: int | None = None, at_once: int = 4, names: tuple[str, ...] = ("dim",)
) -> Callable[[Bound], tuple[int, ...]]:
    """Return a function for the buffers of a reduction with partial results of `element` bytes.

    None is the size of a value, in the type that it is accumulated in.
    """

    def buffers(bound: Bound) -> tuple[int, ...]:
        tensor = bound["self"]
        dims = next((bound[name] for name in names if bound.get(name) is not None), None)
        dims = [dims] if isinstance(dims, int) else dims
        reduced = {dim % tensor.dim() for dim in dims} if dims and tensor.dim() else None
        size = element or _accumulated(bound.get("dtype") or tensor.dtype)
        if element == _WELFORD and tensor.element_size() > 4:  # noqa: PLR2004 -- wider than float32
            size *= 2
        everything = set(range(tensor.dim()))
        return reduction_buffers(
            tensor, everything if reduced is None else reduced, element=size, at_once=at_once
        )

    return buffers


def _place(bound: Bound) -> tuple[int, ...]:
    """Return the buffers of a search, and the copy of what does not lie in one row if all is."""
    if bound.get("dim") is not None:
        return _reduced(element=_WITH_PLACE)(bound)
    tensor = bound["self"]
    flat = torch.empty(tensor.numel(), dtype=tensor.dtype, device=META)
    return (*copy_in_order(tensor), *_reduced(element=_WITH_PLACE)({**bound, "self": flat}))


def _converted(buffers: Callable[[Bound], Sequence[int]]) -> Callable[[Bound], Sequence[int]]:
    """Return `buffers` for a tensor that is copied first where the result has another type.

    Half precision is read as float32 by the kernel itself (ReduceOps.cpp, `make_reduction`).
    """

    def of_copy(bound: Bound) -> Sequence[int]:
        tensor = bound["self"]
        dtype = sum_dtype(bound)
        is_read = dtype is torch.float32 and tensor.dtype in _HALVES
        if dtype is tensor.dtype or is_read:
            return buffers(bound)
        with in_kernel():
            copy = torch.empty_like(tensor, dtype=dtype)
        return [bytes_of(copy), *buffers({**bound, "self": copy})]

    return of_copy


def _count_nonzero(bound: Bound) -> Sequence[int]:
    """Return what says where something is, and the buffers of its sum."""
    where = torch.empty_like(bound["self"], dtype=torch.bool, device=META)
    said = [] if bound["self"].dtype is torch.bool else [bytes_of(where)]
    return [*said, *_converted(_reduced())({**bound, "self": where})]


def _extremes(bound: Bound) -> Sequence[int]:
    """Return the buffers of a maximum or minimum: with `dim` its place is kept beside it."""
    tensor = bound["self"]
    dim = bound.get("dim")
    if dim is None or not tensor.dim():
        copy = _contiguous("self")(bound)
        return [*copy, *_reduced(element=tensor.element_size())({"self": tensor})]
    return reduction_buffers(tensor, {dim % tensor.dim()}, element=_WITH_PLACE)


def _accumulated(dtype: torch.dtype) -> int:
    """Return the size of a sum's partial results: half precision is summed in float32."""
    return max(dtype.itemsize, 4)


def _contiguous(*names: str) -> Callable[[Bound], list[int]]:
    """Return a function for the copies of arguments that the kernel needs contiguous."""

    def copied(bound: Bound) -> list[int]:
        return [size for name in names for size in copy_in_order(bound[name])]

    return copied


def _softmax_backward(bound: Bound) -> list[int]:
    """Return the product of gradient and result, and the copies of both that are contiguous."""
    gradient, output = bound["grad_output"], bound["output"]
    product = output.numel() * max(gradient.element_size(), output.element_size())
    # The product lies as the gradient does, unless that is one number for all.
    like = output if 0 in gradient.stride() else gradient
    again = [] if like.is_contiguous() else [product]
    return [product, *again, *_contiguous("output")(bound)]


def _loss(bound: Bound) -> list[int]:
    """Return the losses of all elements, and the buffers of their mean or sum."""
    if not bound.get("reduction", 1):
        return []
    tensor, target = bound["self"], bound["target"]
    shape = torch.broadcast_shapes(tensor.shape, target.shape)
    losses = torch.empty(shape, dtype=torch.result_type(tensor, target), device=META)
    return [bytes_of(losses), *_reduced()({"self": losses})]


def _loss_written_over(bound: Bound) -> list[int]:
    """Return the mean or sum, which is written over the losses then, and its buffers."""
    losses = _loss(bound)
    return [bound["self"].element_size(), *losses[1:]] if losses else []


def _of_complex(bound: Bound) -> list[int]:
    """Return the buffer of complex numbers whose real parts are the result."""
    return [bytes_of(bound["self"])] if bound["self"].is_complex() else []


def _in_order(*names: str) -> Callable[[Bound], list[int]]:
    """Return a function for the copies of what lies in another order than the input suggests."""

    def copied(bound: Bound) -> list[int]:
        order = suggest_memory_format(bound["self"])
        return [size for name in names for size in copy_in_order(bound[name], order)]

    return copied


def _outgrown(kernel: Callable[..., torch.Tensor]) -> Callable[[Bound], list[int]]:
    """Return a function for a result made in the argument's size first, which is not enough."""

    def buffers(bound: Bound) -> list[int]:
        tensor = bound["self"]
        with in_kernel():
            result = kernel(**bound)
        copied = _contiguous("self")(bound)
        return [*copied, *([bytes_of(tensor)] if result.numel() > tensor.numel() else [])]

    return buffers


def _norms(bound: Bound) -> list[int]:
    """Return the norms of parts of all tensors, where one kernel has them all."""
    tensors = bound["self"]
    dtypes = {tensor.dtype for tensor in tensors}
    if len(dtypes) > 1 or bound.get("ord", 2) not in (1, 2, math.inf):
        return []
    parts = max(-(-tensor.numel() // _AT_ONCE) for tensor in tensors)
    return [len(tensors) * parts * _accumulated(bound.get("dtype") or tensors[0].dtype)]


_WELFORD = 16
_HALVES = (torch.float16, torch.bfloat16)
_WITH_PLACE = 16
_AT_ONCE = 65536
"""How many elements a block of a kernel for several tensors looks at."""

_CUBLAS = {
    *("mm", "addmm", "bmm", "baddbmm", "linear", "_scaled_mm", "addmv", "addmv_"),
    *("dot", "vdot", "addmm_", "addbmm", "mv", "_addmm_activation", "baddbmm_"),
}

_NEAREST = ("upsample_nearest", "_upsample_nearest_exact")
_UPSAMPLING = (
    *(f"{name}{dims}d" for name in _NEAREST for dims in (1, 2, 3)),
    *("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d"),
    *("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"),
)

_POOLING = (
    *("max_pool2d_with_indices", "avg_pool2d", "_adaptive_avg_pool2d"),
    *("max_pool3d_with_indices", "avg_pool3d", "_adaptive_avg_pool3d"),
)

MADE_LAST = {"im2col", "col2im"}
"""Operators that make their results when they have their buffers."""

_PADDING = ("reflection", "replication")

_SCRATCH: dict[str, Callable[[Bound], Any]] = {
    **attention.BUFFERS,
    **convolutions.BUFFERS,
    **copies.BUFFERS,
    **masks.BUFFERS,
    **normalisation.BUFFERS,
    **sorting.BUFFERS,
    "mm": _operands("self", "mat2"),
    "_int_mm": _operands("self", "mat2"),
    "addmm": _operands("mat1", "mat2"),
    "addmm_": _operands("mat1", "mat2"),
    "_addmm_activation": _operands("mat1", "mat2"),
    "bmm": _operands("self", "mat2"),
    "baddbmm": _operands("batch1", "batch2"),
    "baddbmm_": _operands("batch1", "batch2"),
    "sum": _converted(_reduced()),
    "mean": _converted(_reduced()),
    "nansum": _converted(_reduced()),
    "prod": _converted(_reduced()),
    "count_nonzero": _count_nonzero,
    "linalg_vector_norm": _converted(_reduced()),
    "norm": _converted(_reduced()),
    "any": _reduced(element=1),
    "all": _reduced(element=1),
    "var": _reduced(element=_WELFORD, at_once=2),
    "std": _reduced(element=_WELFORD, at_once=2),
    "var_mean": _reduced(element=_WELFORD, at_once=2),
    "std_mean": _reduced(element=_WELFORD, at_once=2),
    "argmax": _place,
    "argmin": _place,
    "max": _extremes,
    "min": _extremes,
    "_softmax": _contiguous("self"),
    "_log_softmax": _contiguous("self"),
    "_softmax_backward_data": _softmax_backward,
    "_log_softmax_backward_data": _contiguous("grad_output", "output"),
    "mse_loss": _loss,
    "smooth_l1_loss": _loss,
    "huber_loss": _loss,
    "binary_cross_entropy": _loss_written_over,
    "soft_margin_loss": _loss_written_over,
    **dict.fromkeys(_POOLING, _in_order("self")),
    **{f"{name}_backward": _in_order("grad_output", "self") for name in _POOLING},
    "_foreach_norm": _norms,
    "_fft_r2c": lambda bound: [bytes_of(bound["self"])] * (len(bound["dim"]) > 1),
    "_fft_c2r": lambda bound: [bytes_of(bound["self"])],
    "cummax": _contiguous("self"),
    "cummin": _contiguous("self"),
    "abs": _of_complex,
    "angle": _of_complex,
    "im2col": _outgrown(torch.ops.aten.im2col.default),
    "col2im": _outgrown(torch.ops.aten.col2im.default),
    **{f"{name}{dims}d": _contiguous("self") for name in _NEAREST for dims in (1, 2, 3)},
    **{f"{name}_backward": _contiguous("grad_output") for name in _UPSAMPLING},
    **{f"{kind}_pad{dims}d": _contiguous("self") for kind in _PADDING for dims in (1, 2, 3)},
    **{f"reflection_pad{dims}d_backward": _contiguous("grad_output") for dims in (1, 2)},
    "embedding": _contiguous("indices"),
    "native_layer_norm": _contiguous("input"),
    "native_layer_norm_backward": _contiguous("grad_out", "input"),
    "_fused_rms_norm": _contiguous("input"),
    "_fused_rms_norm_backward": _contiguous("grad_out", "input"),
}
