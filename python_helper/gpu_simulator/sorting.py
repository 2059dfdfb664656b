"""The buffers of CUDA's operators that sort or select, or that work on sorted indices.

Of gradients that are brought together by sorting they are those of PyTorch's
`aten/src/ATen/native/cuda` (Indexing.cu, Embedding.cu) and of CUB's radix sort, measured with
PyTorch 2.13. What sorts or selects by itself is counted with its result and a buffer as large.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from .copies import bytes_of, copy_in_order
from .masks import MASKS, mask_buffers, taken_along, together
from .reductions import sum_dtype
from .torch_internals import is_meta

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Bound = dict[str, Any]
    Sizes = Sequence[int | tuple[int, ...]]

_INDEX = 8
"""Bytes of an index, an int64."""
_DIGIT_BITS, _DIGITS = 8, 256
_SORTED_AT_ONCE, _SORTED_BY_BLOCK = 256 * 9, 384 * 10
"""Pairs of indices that one block sorts, and that each of several looks at."""
_SCAN_TILE = 3840

_LONG_ROW, _COUNTS = 400, 6
"""Of rows from this length on the digits are counted, in numbers of so many bytes in all."""
_SMALL_SORT = 4096
"""Rows up to this length are sorted in place, beside a row of indices."""

_FEW_INDICES = 3072
"""The gradient of an embedding with no more indices is made without sorting."""
_ROWS_PER_THREAD = 10
_SUM, _MEAN = 0, 1
"""What becomes of the rows of a bag."""


def _sort(bound: Bound) -> Sizes:
    """Return the row of indices beside short rows, and of long ones a buffer for all."""
    tensor, dim = bound["self"], bound.get("dim")
    if not tensor.dim() or not tensor.numel():
        return ()
    length = tensor.size(-1 if dim is None else dim)
    return [length * _INDEX if length <= _SMALL_SORT else _sorted(tensor)]


def _sorted(tensor: torch.Tensor) -> int:
    return bytes_of(tensor) + tensor.numel() * _INDEX


def _median(bound: Bound) -> Sizes:
    """Return the buffers for the median of everything, which is sorted; of a row nothing is."""
    tensor = bound["self"]
    copy = copy_in_order(tensor)
    return copy if bound.get("dim") is not None else [*copy, _sorted(tensor), _sorted(tensor)]


def _cumulated(bound: Bound) -> Sizes:
    """Return the copy in the result's type and order."""
    tensor = bound["self"]
    dtype = sum_dtype(bound)
    is_read = dtype is tensor.dtype and tensor.is_contiguous()
    return [] if is_read else [tensor.numel() * dtype.itemsize]


def _topk(bound: Bound) -> Sizes:
    """Return the copy in order, and how often each digit is in a long row."""
    tensor, dim = bound["self"], bound.get("dim", -1)
    length = tensor.size(dim) if tensor.dim() else 1
    is_long = length >= _LONG_ROW
    return [
        *copy_in_order(tensor),
        *([tensor.numel() // length * _DIGITS * _COUNTS] if is_long else []),
    ]


def _multinomial(bound: Bound) -> Sizes:
    """Return random numbers beside the chances, of which the largest are selected."""
    same = bytes_of(bound["self"])
    return [same] * 3 if bound.get("replacement") else [same, *_topk({"self": bound["self"]})]


def _unique(bound: Bound) -> Sizes:
    """Return a copy that is sorted, and the buffer for it; with places both have these, too."""
    tensor = bound["self"]
    if not bound.get("return_inverse"):
        return [bytes_of(tensor)]
    return [_sorted(tensor) + tensor.numel() * _INDEX]


def _sort_buffer(items: int, places: int) -> int:
    """Return the size of a radix sort's buffer for indices into so many places, with their own."""
    if items <= _SORTED_AT_ONCE:
        return 1
    passes = -(-places.bit_length() // _DIGIT_BITS)
    blocks = -(-items // _SORTED_BY_BLOCK)
    copies = (items * _INDEX, items * _INDEX) if passes > 1 else ()
    return together(passes * _DIGITS * _INDEX, blocks * _DIGITS * 4, *copies, passes * 4)


def _sorted_indices(items: int, places: int) -> list[int | tuple[int, ...]]:
    """Return the buffers for sorting indices into so many places: what is kept comes first."""
    size = items * _INDEX
    return [size, size, (size, _sort_buffer(items, places))]


def _index_put(bound: Bound) -> Sizes:
    """Return the buffers for adding up: values for the same place are brought together."""
    tensor, values, indices = bound["self"], bound["values"], bound["indices"]
    given = {dim: index for dim, index in enumerate(indices) if index is not None}
    if any(index.dtype in MASKS for index in given.values()):
        # One number is filled in where the mask is; how many places masks choose is not known.
        is_filled = values.dim() == 0 and len(given) == 1
        return () if is_filled else mask_buffers(given.values())
    taken = taken_along(indices)
    if not bound.get("accumulate") or not given or not tensor.numel():
        return [*taken, *([] if is_meta(values) else [values.element_size()])]
    shape = torch.broadcast_shapes(*(index.shape for index in given.values()))
    rest = [size for dim, size in enumerate(tensor.shape) if dim not in given]
    items, expanded = math.prod(shape), math.prod([*shape, *rest])
    is_whole = values.numel() == expanded and values.is_contiguous()
    copies = [] if is_whole else [expanded * values.element_size()]
    places = math.prod(tensor.size(dim) for dim in given)
    size = items * _INDEX
    copies += copy_in_order(tensor)
    return [
        *taken,
        (_INDEX, _INDEX, 1),
        (1,),
        size,
        (size,),
        *copies,
        *_sorted_indices(items, places),
    ]


def _embedding_backward(bound: Bound) -> Sizes:
    """Return the buffers for the gradient of an embedding, which few indices do not need."""
    gradient, items = bound["grad_output"], bound["indices"].numel()
    copy = copy_in_order(gradient)
    if items <= _FEW_INDICES and not bound.get("scale_grad_by_freq"):
        return copy
    return [*copy, *_sums_of_rows(gradient, items, bound["num_weights"])]


def _bags_backward(bound: Bound) -> Sizes:
    """Return the buffers for the gradient of an embedding whose rows were summed in bags."""
    gradient, mode = bound["grad"], bound["mode"]
    copy = copy_in_order(gradient)
    if mode not in (_SUM, _MEAN):
        return copy
    return [*copy, *_sums_of_rows(gradient, bound["indices"].numel(), bound["num_weights"])]


def _sums_of_rows(gradient: torch.Tensor, items: int, rows: int) -> Sizes:
    """Return the buffers for adding up the gradients of an embedding's rows, in parts."""
    segments = min(items, rows)
    parts = items // _ROWS_PER_THREAD + segments
    sums = gradient.size(-1) * max(gradient.element_size(), 4)
    return [
        *_sorted_indices(items, rows),
        *(items * _INDEX, _INDEX, (items * _INDEX, _scan(items))),
        *(segments * _INDEX, segments * _INDEX, (_scan(segments),)),
        *(_INDEX, parts * _INDEX, parts * sums),
    ]


def _scan(items: int) -> int:
    """Return the size of the buffer for sums by key, of numbers of 4 bytes."""
    tiles = -(-items // _SCAN_TILE)
    return together((32 + tiles) * 16, tiles * 4)


BUFFERS: dict[str, Callable[[Bound], Any]] = {
    "sort": _sort,
    "topk": _topk,
    "median": _median,
    "nanmedian": _median,
    "kthvalue": lambda bound: copy_in_order(bound["self"]),
    "_unique2": _unique,
    "cumsum": _cumulated,
    "cumprod": _cumulated,
    "logcumsumexp": _cumulated,
    "multinomial": _multinomial,
    "randperm": lambda bound: [bound["n"] * _INDEX] * 5,
    "index_put": _index_put,
    "index_put_": _index_put,
    "_index_put_impl_": _index_put,
    "embedding_dense_backward": _embedding_backward,
    "_embedding_bag_backward": _bags_backward,
}
"""What an operator's kernel takes beside its results, by the operator's name."""
