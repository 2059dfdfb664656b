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


def _nearest(bound: Bound) -> list[int]:
    """Return the copy in order, and that of the result where few channels lie beside each other."""
    tensor = bound["self"]
    is_last = tensor.is_contiguous(memory_format=torch.channels_last)
    if tensor.is_contiguous() or (is_last and tensor.size(1) >= _CHANNELS_AT_ONCE):
        return []
    result = math.prod((*tensor.shape[:2], *bound["output_size"])) * tensor.element_size()
    return [bytes_of(tensor), *([result] if is_last else [])]


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


def _norm(bound: Bound) -> Sequence[int]:
    """Return the buffers of a norm; of one value it is the absolute one, in the result's type."""
    tensor, dtype, dims = bound["self"], sum_dtype(bound), bound.get("dim")
    dims = range(tensor.dim()) if not dims else [dims] if isinstance(dims, int) else dims
    if not tensor.dim() or all(tensor.size(dim) == 1 for dim in dims):
        return [] if dtype is tensor.dtype else [tensor.numel() * dtype.itemsize]
    return _converted(_reduced())(bound)


def _count_nonzero(bound: Bound) -> Sequence[int]:
    """Return what says where something is, and the buffers of its sum."""
    where = torch.empty_like(bound["self"], dtype=torch.bool, device=META)
    said = [] if bound["self"].dtype is torch.bool else [bytes_of(where)]
    return [*said, *_converted(_reduced())({**bound, "self": where})]


def _whether(bound: Bound) -> Sequence[int]:
    """Return what a single number says, or the buffers of asking several."""
    tensor = bound["self"]
    if tensor.numel() == 1:
        return [] if tensor.dtype is torch.bool else [1]
    return _reduced(element=1)(bound)


def _nansum(bound: Bound) -> Sequence[int]:
    """Return what has zeros where nothing is known, which whole numbers are summed of."""
    wanted = bound.get("dtype")
    is_cleared = wanted is not None and not wanted.is_floating_point and not wanted.is_complex
    cleared = [bytes_of(bound["self"])] if is_cleared else []
    return [*cleared, *_converted(_reduced())(bound)]


def _means_of_scattered(bound: Bound) -> list[int | tuple[int, ...]]:
    """Return how many go to each place, ones that are counted, and where there are none."""
    if bound["reduce"] != "mean":
        return []
    tensor, given = bound["self"], bound["src"] if "src" in bound else bound["source"]
    ones = bytes_of(given) if "src" in bound else (bytes_of(given),)
    return [bytes_of(tensor), ones, (tensor.numel(),)]


def _extremes(bound: Bound) -> Sequence[int]:
    """Return the buffers of a maximum or minimum: with `dim` its place is kept beside it."""
    tensor = bound["self"]
    dim = bound.get("dim")
    if dim is None or not tensor.dim():
        copy = _contiguous("self")(bound)
        return [*copy, *_reduced(element=tensor.element_size())({"self": tensor})]
    return reduction_buffers(tensor, {dim % tensor.dim()}, element=_WITH_PLACE)


def _extremes_alone(bound: Bound) -> tuple[int, ...]:
    """Return the buffers of a maximum or minimum whose place nobody asks for."""
    return _reduced(element=bound["self"].element_size())(bound)


def _range(bound: Bound) -> list[int]:
    """Return the smallest and the largest number, where a histogram is not told its range."""
    if bound.get("min", 0) != bound.get("max", 0):
        return []
    width = bound["self"].element_size()
    return [width, width, *_both_extremes({"self": bound["self"]})]


def _sampled(bound: Bound) -> list[int]:
    """Return the copies that cuDNN takes, where it is cuDNN that samples."""
    is_for_cudnn = bound["align_corners"] and not bound["interpolation_mode"]
    return _contiguous("input", "grid")(bound) if is_for_cudnn and not bound["padding_mode"] else []


def _both_extremes(bound: Bound) -> tuple[int, ...]:
    """Return the buffers of minimum and maximum at once."""
    tensor, dim = bound["self"], bound.get("dim")
    dims = range(tensor.dim()) if dim is None or not tensor.dim() else (dim % tensor.dim(),)
    return reduction_buffers(tensor, set(dims), element=2 * tensor.element_size())


def _margins(bound: Bound) -> list[tuple[int, ...]]:
    """Return the losses of all rows, where they become one."""
    tensor, reduction = bound["self"], bound.get("reduction", 1)
    is_batch = tensor.dim() == _MATRIX
    return [(tensor.size(0) * tensor.element_size(),)] if reduction and is_batch else []


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


def _largest_of_parts(bound: Bound) -> list[int]:
    """Return the copied of numbers, places and input, where the channels come last."""
    tensor, sizes = bound["self"], bound["output_size"]
    copied = _contiguous("self")(bound)
    if suggest_memory_format(tensor) is torch.contiguous_format:
        return copied
    items = math.prod([*tensor.shape[: -len(sizes)], *sizes])
    return [items * tensor.element_size(), items * torch.int64.itemsize, *copied]


def _bernoulli(bound: Bound) -> list[int]:
    """Return the copy of chances in half precision, which are read in float32."""
    chances = bound["self"] if bound.get("p") is None else bound["p"]
    is_half = isinstance(chances, torch.Tensor) and chances.dtype in _HALVES
    return [chances.numel() * 4] if is_half else []


def _outgrown(kernel: Callable[..., torch.Tensor]) -> Callable[[Bound], list[int]]:
    """Return a function for a result made in the argument's size first, which is not enough."""

    def buffers(bound: Bound) -> list[int]:
        tensor = bound["self"]
        with in_kernel():
            result = kernel(**bound)
        copied = _contiguous("self")(bound)
        return [*copied, *([bytes_of(tensor)] if result.numel() > tensor.numel() else [])]

    return buffers


def _renorm(bound: Bound) -> list[int | tuple[int, ...]]:
    """Return the norm of each part, in float32 at least, and what the part is multiplied by."""
    tensor, dim = bound["self"], bound["dim"]
    rows, wide = tensor.size(dim), _accumulated(tensor.dtype)
    rest = set(range(tensor.dim())) - {dim % tensor.dim()}
    narrow = tensor.element_size()
    factors = [] if narrow == wide else [rows * narrow]
    return [rows * wide, reduction_buffers(tensor, rest, element=wide), *factors]


def _norms(bound: Bound) -> list[int]:
    """Return the norms of parts of all tensors, where one kernel has them all."""
    tensors = bound["self"]
    dtypes = {tensor.dtype for tensor in tensors}
    if len(dtypes) > 1 or bound.get("ord", 2) not in (1, 2, math.inf):
        return []
    parts = max(-(-tensor.numel() // _AT_ONCE) for tensor in tensors)
    return [len(tensors) * parts * _accumulated(bound.get("dtype") or tensors[0].dtype)]


def _rolled(bound: Bound) -> list[int | tuple[int, ...]]:
    """Return the copy in order, and what was rolled in all dimensions but the last."""
    tensor, dims = bound["self"], bound.get("dims") or [0]
    dims = [dims] if isinstance(dims, int) else dims
    copy, earlier = copy_in_order(tensor), [bytes_of(tensor)] * (len(dims) - 1)
    return [tuple(copy), *earlier] if copy else [*earlier]


def _normal(bound: Bound) -> list[int]:
    """Return the buffer of numbers whose means are those of a tensor, in the size of the result."""
    given = [bound[name] for name in ("mean", "std") if isinstance(bound.get(name), torch.Tensor)]
    return [max(map(bytes_of, given))] if given else []


_WELFORD = 16
_HALVES = (torch.float16, torch.bfloat16)
_WITH_PLACE = 16
_AT_ONCE = 65536
"""How many elements a block of a kernel for several tensors looks at."""

_CUBLAS = {
    *("mm", "addmm", "bmm", "baddbmm", "linear", "_scaled_mm", "addmv", "addmv_"),
    *("dot", "vdot", "addmm_", "addbmm", "mv", "_addmm_activation", "baddbmm_"),
}

_CHANNELS_AT_ONCE = 4
"""From so many on there is a kernel for channels beside each other (UpSampleNearest2d.cu)."""

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
_LARGEST_OF_PARTS = ("adaptive_max_pool2d", "adaptive_max_pool3d")

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
    "nansum": _nansum,
    "prod": _converted(_reduced()),
    "count_nonzero": _count_nonzero,
    "linalg_vector_norm": _norm,
    "norm": _norm,
    "any": _whether,
    "all": _whether,
    "var": _reduced(element=_WELFORD, at_once=2),
    "std": _reduced(element=_WELFORD, at_once=2),
    "var_mean": _reduced(element=_WELFORD, at_once=2),
    "std_mean": _reduced(element=_WELFORD, at_once=2),
    "argmax": _place,
    "multi_margin_loss": _margins,
    "multilabel_margin_loss_forward": _margins,
    "aminmax": _both_extremes,
    "argmin": _place,
    "amax": _extremes_alone,
    "amin": _extremes_alone,
    "histc": _range,
    "grid_sampler_2d": _sampled,
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
    "renorm": _renorm,
    "bernoulli": _bernoulli,
    "bernoulli_": _bernoulli,
    **dict.fromkeys(_POOLING, _in_order("self")),
    **{f"{name}_backward": _in_order("grad_output", "self") for name in _POOLING},
    **dict.fromkeys(_LARGEST_OF_PARTS, _largest_of_parts),
    **{
        f"{name}_backward": _contiguous("grad_output", "indices", "self")
        for name in _LARGEST_OF_PARTS
    },
    "scatter_reduce": _means_of_scattered,
    "scatter_reduce_": _means_of_scattered,
    "index_reduce": _means_of_scattered,
    "index_reduce_": _means_of_scattered,
    "normal": _normal,
    "_foreach_norm": _norms,
    "_fft_r2c": lambda bound: [bytes_of(bound["self"])] * (len(bound["dim"]) > 1),
    "_fft_c2r": lambda bound: [bytes_of(bound["self"])],
    "cummax": _contiguous("self"),
    "cummin": _contiguous("self"),
    "abs": _of_complex,
    "angle": _of_complex,
    "im2col": _outgrown(torch.ops.aten.im2col.default),
    "col2im": _outgrown(torch.ops.aten.col2im.default),
    **{f"{name}2d": _nearest for name in _NEAREST},
    **{f"{name}{dims}d": _contiguous("self") for name in _NEAREST for dims in (1, 3)},
    **{f"{name}_backward": _contiguous("grad_output") for name in _UPSAMPLING},
    **{f"{kind}_pad{dims}d": _contiguous("self") for kind in _PADDING for dims in (1, 2, 3)},
    **{f"reflection_pad{dims}d_backward": _contiguous("grad_output") for dims in (1, 2)},
    "embedding": _contiguous("indices"),
    "roll": _rolled,
    "native_layer_norm": _contiguous("input"),
    "native_layer_norm_backward": _contiguous("grad_out", "input"),
    "_fused_rms_norm": _contiguous("input"),
    "_fused_rms_norm_backward": _contiguous("grad_out", "input"),
}
