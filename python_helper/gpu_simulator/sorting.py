"""The buffers of CUDA's operators that sort or select, or that work on sorted indices.

The rules are those of PyTorch's `aten/src/ATen/native/cuda` (SortStable.cu, TensorTopK.cu,
Randperm.cu, Indexing.cu, Embedding.cu) and of the radix sort in CUB's `dispatch_radix_sort.cuh`
with its choices for an Ampere card, measured with PyTorch 2.13. Sizes in bytes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from .copies import bytes_of, copy_in_order
from .cub import scan_buffer, selection_buffer, together
from .masks import MASKS, mask_buffers, taken_along
from .reductions import MULTIPROCESSORS, reduction_buffers, sum_dtype
from .torch_internals import is_meta

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Bound = dict[str, Any]
    Sizes = Sequence[int | tuple[int, ...]]

_INDEX = 8
"""Bytes of an index, an int64."""

_DIGIT_BITS, _DIGITS = 8, 256
_NARROW_KEY = 4
"""Keys of fewer bytes are sorted by another algorithm."""
_NARROW_DIGITS, _NARROW_BLOCKS, _NARROW_SCANNED = 128, 8 * 5 * MULTIPROCESSORS, 5632

_SMALL_SORT = 4096
"""Rows up to this length are sorted in place, beside a row of indices."""
_LONGEST_MODE = 2048
"""The most frequent of longer rows is not found by one block (TensorModeKernel.cpp)."""
_FEW_ROWS, _LONG_ROW = 128, 1_000_000
"""Fewer rows are sorted all at once, and longer rows one by one."""

_MULTIPLE_BLOCKS = ((20, 20000), (40, 10000), (80, 8000), (200, 5000), (800, 3000), (4000, 800))
_MANY_ROWS_LENGTH = 400
"""Up to so many rows, selection is spread over several blocks from this length on."""
_SELECTING_THREADS, _BLOCKS_PER_MULTIPROCESSOR = 256, 6
_SCAN_TILE = 3840

_UNIQUE_TILES = {2: 1280, 4: 4608, 8: 1920}
"""How many keys of so many bytes a block selects from; single bytes are not sorted by this rule."""

_FEW_INDICES = 3072
"""The gradient of an embedding with no more indices is made without sorting."""
_ROWS_PER_THREAD = 10
_SUM, _MEAN = 0, 1
"""What becomes of the rows of a bag."""


def sort_buffer(items: int, key: int, value: int = 0, bits: int | None = None) -> int:
    """Return the size of a radix sort's buffer, for keys and values of so many bytes each.

    `bits` is how many of a key's bits are looked at: all of them, unless it is given.
    """
    widest = max(key, value, 4)
    if items <= _DIGITS * max(1, 19 * 4 // widest):
        return 1
    if key < _NARROW_KEY:
        spine = (_NARROW_BLOCKS * _NARROW_DIGITS + _NARROW_SCANNED) * _INDEX
        return together(spine, items * key, items * value)
    passes = -(-(key * 8 if bits is None else bits) // _DIGIT_BITS)
    a_thread = (17 if key == _NARROW_KEY and value else 21) * 4 // widest
    blocks = -(-items // (384 * a_thread))
    copies = (items * key, items * value) if passes > 1 else ()
    return together(passes * _DIGITS * _INDEX, blocks * _DIGITS * 4, *copies, passes * 4)


def _sort(bound: Bound) -> Sizes:
    tensor = bound["self"]
    dim = bound.get("dim")
    return _sorting(tensor, -1 if dim is None else dim)


def _sorting(tensor: torch.Tensor, dim: int) -> Sizes:
    """Return the buffers of sorting along `dim` into results that are there."""
    if tensor.dim() == 0 or tensor.numel() == 0:
        return ()
    items, length, key = tensor.numel(), tensor.size(dim), tensor.element_size()
    if length <= _SMALL_SORT:
        return [(length * _INDEX,)]
    is_last = tensor.stride(dim) == 1 and tensor.is_contiguous()
    copies = [] if is_last else [items * key, items * key, items * _INDEX]
    rows = items // length
    if rows == 1 or length >= _LONG_ROW:
        return [*copies, length * _INDEX, (sort_buffer(length, key, _INDEX),)]
    if rows < _FEW_ROWS:
        by_value = (items * key, sort_buffer(items, key, _INDEX))
        by_row = (sort_buffer(items, _INDEX, bits=math.ceil(math.log2(rows))),)
        return [*copies, items * _INDEX, items * _INDEX, by_value, by_row]
    return [*copies, items * _INDEX, (together(items * key, items * _INDEX),)]


def _median(bound: Bound) -> Sizes:
    """Return the buffers for the median of everything, which is sorted; of a row nothing is."""
    tensor, items = bound["self"], bound["self"].numel()
    if bound.get("dim") is not None or not items:
        return copy_in_order(tensor)
    flat = torch.empty(items, dtype=tensor.dtype, device="meta")
    sorting = _flat(_sorting(flat, 0))
    copies = [*copy_in_order(tensor), items * tensor.element_size()]
    return [*copies, *((items * _INDEX, *each) for each in sorting), (1,)]


def _cumulated(bound: Bound) -> Sizes:
    """Return the copy in the result's type and order, and the buffer for one row alone."""
    tensor = bound["self"]
    dtype = sum_dtype(bound)
    is_read = dtype is tensor.dtype and tensor.is_contiguous()
    copy = [] if is_read else [tensor.numel() * dtype.itemsize]
    return [*copy, *_one_row(bound)]


def _cumulated_over(bound: Bound) -> Sizes:
    """Return the copies that are read and written, where one does not lie row by row."""
    tensor = bound["self"]
    if not tensor.dim():
        return [tensor.element_size()]
    return [*copy_in_order(tensor) * 2, *_one_row({**bound, "dtype": tensor.dtype})]


def _mode(bound: Bound) -> Sizes:
    """Return the copy with the dimension last; long rows are sorted in it, one by one."""
    tensor, dim = bound["self"], bound.get("dim", -1)
    length = tensor.size(dim) if tensor.dim() else 1
    if length == 1 or not tensor.numel():
        return []
    if length <= _LONGEST_MODE:
        return copy_in_order(tensor.transpose(dim, -1))
    sorting = sort_buffer(length, tensor.element_size(), _INDEX)
    return [bytes_of(tensor), (length * _INDEX, sorting)]


def _searched(bound: Bound) -> Sizes:
    """Return the copies of what is searched, and of numbers, in order and then in one type."""
    given = (bound["self"], bound.get("sorted_sequence", bound.get("boundaries")))
    tensors = [each for each in given if isinstance(each, torch.Tensor)]
    dtype = torch.result_type(*tensors) if len(tensors) > 1 else tensors[0].dtype
    copies = [size for each in tensors for size in copy_in_order(each)]
    return [*copies, *(e.numel() * dtype.itemsize for e in tensors if e.dtype is not dtype)]


def _one_row(bound: Bound) -> Sizes:
    tensor = bound["self"]
    if not tensor.dim() or not tensor.numel() or tensor.size(bound["dim"]) != tensor.numel():
        return []
    return [(scan_buffer(tensor.numel(), sum_dtype(bound)),)]


def _topk(bound: Bound) -> Sizes:
    tensor, k, dim = bound["self"], bound["k"], bound.get("dim", -1)
    if tensor.dim() == 0 or tensor.numel() == 0 or k == 0:
        return ()
    is_last = dim % tensor.dim() == tensor.dim() - 1
    copy = () if is_last and tensor.is_contiguous() else (bytes_of(tensor),)
    found = _selecting(tensor, dim)
    selected = tensor.narrow(dim, 0, k)
    if not bound.get("sorted", True) or k <= _SMALL_SORT:
        return [(*copy, *found)]
    # The selected are sorted, and their indices taken in that order.
    values, indices = bytes_of(selected), selected.numel() * _INDEX
    sorting = _sorting(torch.empty(selected.shape, dtype=tensor.dtype, device="meta"), dim)
    return [(*copy, *found), indices, values, *_flat(sorting), (indices,)]


def _flat(sizes: Sizes) -> list[tuple[int, ...]]:
    """Return buffers that are held beside what comes after, by what they come to at most."""
    held = tuple(size for size in sizes if isinstance(size, int))
    given_back = [size for size in sizes if not isinstance(size, int)]
    return [(*held, *size) for size in given_back or [()]]


def _selecting(tensor: torch.Tensor, dim: int) -> tuple[int, ...]:
    """Return the buffers for selecting the largest of each row."""
    length = tensor.size(dim)
    rows = tensor.numel() // length
    shortest = next((least for most, least in _MULTIPLE_BLOCKS if rows <= most), _MANY_ROWS_LENGTH)
    if length < shortest:
        return ()
    threads = MULTIPROCESSORS * _BLOCKS_PER_MULTIPROCESSOR * _SELECTING_THREADS
    a_thread = max(4, min(64, -(-tensor.numel() // threads)))
    blocks = rows * -(-length // (a_thread * _SELECTING_THREADS))
    width = tensor.element_size()
    counts = (blocks * _DIGITS * 2, rows * _DIGITS * 4, blocks * 4, blocks * 4)
    return (rows * width, rows * 8, rows * 2 * max(width, 4), *counts, _scan(blocks))


def _multinomial(bound: Bound) -> Sizes:
    chances, samples = bound["self"], bound["num_samples"]
    width, rows = chances.element_size(), chances.numel() // max(chances.size(-1), 1)
    same = chances.numel() * width
    if bound.get("replacement") and samples > 1:
        scan = [(scan_buffer(chances.numel(), chances.dtype),)] if rows == 1 else []
        return [same, same, same, *scan]
    everything = set(range(chances.dim()))
    extremes = reduction_buffers(chances, everything, element=2 * width)
    sums = reduction_buffers(chances, {chances.dim() - 1}, element=max(width, 4))
    sum_size = rows * width
    summing = [(sum_size, *sums)] if sums else []
    checks = [width, width, extremes, 1, (1, 1), 1, *summing, (sum_size, rows), (1,)]
    drawn: list[int | tuple[int, ...]] = [same]
    if samples > 1:
        drawn += [rows * samples * width, *_topk({"self": chances, "k": samples})]
    return [*checks, *drawn]


def _randperm(bound: Bound) -> Sizes:
    items = bound["n"]
    if items == 0:
        return ()
    value = (bound.get("dtype") or torch.int64).itemsize
    # So many bits of a random key make it unlikely that two are the same.
    bits = math.ceil(math.log2(items - (6 * items * items + 1) / (math.log(0.9) * 12)))
    bits, key = min(64, bits), 4 if bits <= 32 else 8  # noqa: PLR2004 -- an int or an int64
    return [(value,), items * value, items * key, items * key, sort_buffer(items, key, value, bits)]


def _sorted_indices(items: int, places: int) -> list[int | tuple[int, ...]]:
    """Return the buffers for sorting indices into so many places: what is kept comes first."""
    size = items * _INDEX
    return [size, size, (size, sort_buffer(items, _INDEX, _INDEX, places.bit_length()))]


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


def _unique(bound: Bound) -> Sizes:
    """Return the buffers for sorting, with places where they are asked for, and for selecting.

    The kernel sorts a copy of its own before it makes results; here these are there in its place.
    """
    tensor = bound["self"]
    items, width = tensor.numel(), tensor.element_size()
    tile = _UNIQUE_TILES.get(width)
    if tile is None or not items:
        return ()
    places = bound.get("return_inverse")
    sort = sort_buffer(items, width, _INDEX if places else 0)
    select = selection_buffer(items, tile)
    copy, indices = items * width, [items * _INDEX] if places else []
    return [(*indices, sort), (copy, *indices), (copy, _INDEX, select)]


def _scan(items: int) -> int:
    """Return the size of the buffer for sums by key, of numbers of 4 bytes."""
    tiles = -(-items // _SCAN_TILE)
    return together((32 + tiles) * 16, tiles * 4)


BUFFERS: dict[str, Callable[[Bound], Any]] = {
    "sort": _sort,
    "topk": _topk,
    "median": _median,
    "mode": _mode,
    "kthvalue": lambda bound: copy_in_order(bound["self"]),
    "_unique2": _unique,
    "cumsum": _cumulated,
    "cumprod": _cumulated,
    "logcumsumexp": _cumulated,
    "bucketize": _searched,
    "searchsorted": _searched,
    "cumsum_": _cumulated_over,
    "cumprod_": _cumulated_over,
    "multinomial": _multinomial,
    "randperm": _randperm,
    "index_put": _index_put,
    "index_put_": _index_put,
    "_index_put_impl_": _index_put,
    "embedding_dense_backward": _embedding_backward,
    "_embedding_bag_backward": _bags_backward,
}
"""What an operator's kernel takes beside its results, by the operator's name."""
