"""The buffers of CUDA's operators that find where something is true: `nonzero`, and masks.

The rules are those of PyTorch's `aten/src/ATen/native/cuda/Nonzero.cu` and of the sum and the
selection in CUB that it calls, measured with PyTorch 2.13. Sizes in bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .copies import bytes_of, copy_in_order
from .reductions import MULTIPROCESSORS
from .torch_internals import in_kernel, is_meta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Bound = dict[str, Any]
    Sizes = Sequence[int | tuple[int, ...]]

MASKS = (torch.bool, torch.uint8)

_INDEX, _COUNT = 8, 4
"""Bytes of an index, an int64, and of a sum, an int32."""
_SUMMED_BY_ONE_BLOCK = 4096
_SUMMING_BLOCKS = 8 * 5 * MULTIPROCESSORS
_SELECTION_TILE = 2304
_COUNTING_TILE = 896
_TILE_STATE, _TILES_BEFORE, _ALIGNED = 8, 32, 256


def together(*sizes: int) -> int:
    """Return the bytes of one buffer of CUB with parts of `sizes`, each aligned."""
    return sum(-(-size // _ALIGNED) * _ALIGNED for size in sizes) + _ALIGNED - 1


def _nonzero(bound: Bound) -> Sizes:
    tensor = bound["self"]
    copy = copy_in_order(tensor)
    return [*copy, *_search(tensor)]


def _search(tensor: torch.Tensor) -> Sizes:
    """Return the buffers of the sum that says how many there are, and of the selection."""
    items = tensor.numel()
    by_one = items <= _SUMMED_BY_ONE_BLOCK
    summing = 1 if by_one else together(_SUMMING_BLOCKS * _COUNT)
    selecting = together((_TILES_BEFORE + -(-items // _SELECTION_TILE)) * _TILE_STATE, 1)
    return [(_COUNT, summing), (_COUNT, selecting)]


def mask_buffers(indices: Iterable[torch.Tensor | None]) -> Sizes:
    """Return the indices that the masks among `indices` become, and the buffers to find them."""
    masks = (index for index in indices if index is not None and index.dtype in MASKS)
    return [
        size
        for mask in masks
        for size in (_found(mask) * mask.dim() * _INDEX, *_nonzero({"self": mask}))
    ]


def taken_along(indices: Iterable[torch.Tensor | None]) -> list[int]:
    """Return the copies of indices of the host, which the kernel takes to the card."""
    given = (index for index in indices if index is not None)
    hosts = (i for i in given if not is_meta(i) and i.dtype not in MASKS)
    return [bytes_of(index) for index in hosts if index.numel()]


def _found(mask: torch.Tensor) -> int:
    """Return how many elements a mask chooses; without values, the most that it can be."""
    if is_meta(mask):
        return mask.numel()
    with in_kernel():
        return int(torch.count_nonzero(mask))


def _masked_select(bound: Bound) -> Sizes:
    _, mask = torch.broadcast_tensors(bound["self"], bound["mask"])
    return mask_buffers([mask])


def _masked_scatter(bound: Bound) -> Sizes:
    """Return the place of each chosen element among all that are, and the buffer for counting."""
    items = bound["self"].numel()
    tiles = -(-items // _COUNTING_TILE)
    return [items * _INDEX, (together((_TILES_BEFORE + tiles) * 2 * _TILE_STATE, 1),)]


BUFFERS: dict[str, Callable[[Bound], Any]] = {
    "nonzero": _nonzero,
    "index": lambda bound: [*taken_along(bound["indices"]), *mask_buffers(bound["indices"])],
    "masked_select": _masked_select,
    "masked_scatter": _masked_scatter,
    "masked_scatter_": _masked_scatter,
}
"""What an operator's kernel takes beside its results, by the operator's name."""
