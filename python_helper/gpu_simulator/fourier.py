"""The tensors of CUDA's Fourier transforms beside their results; cuFFT's own buffers are not known.

The rules are those of PyTorch's `aten/src/ATen/native/cuda/SpectralOps.cpp`. Sizes in bytes.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .copies import bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import torch

    Bound = dict[str, Any]

_MAX_DIMENSIONS = 3
"""How many dimensions cuFFT transforms at once."""
_PLANE = [0, 1]


def _to_complex(bound: Bound) -> list[int]:
    """A transform in several steps needs a second result."""
    tensor, dims = bound["self"], bound["dim"]
    copies = _copy_for_batches(tensor, dims if _is_at_once(dims) else dims[-1:])
    if len(dims) == 1 or _is_at_once(dims):
        return copies
    sizes = list(tensor.shape)
    if bound["onesided"]:
        sizes[dims[-1]] = sizes[dims[-1]] // 2 + 1
    return [*copies, math.prod(sizes) * tensor.element_size() * 2]


def _to_real(bound: Bound) -> list[int]:
    """The input is copied, since cuFFT writes on it, or transformed along other dimensions."""
    tensor, dims = bound["self"], bound["dim"]
    steps = 2 if not _is_at_once(dims) and len(dims) - 1 > _MAX_DIMENSIONS else 1
    return [bytes_of(tensor)] * steps


def _of_complex(bound: Bound) -> list[int]:
    tensor, dims = bound["self"], bound["dim"]
    copies = _copy_for_batches(tensor, dims[-_MAX_DIMENSIONS:])
    if len(dims) <= _MAX_DIMENSIONS:
        return copies
    return [*copies, bytes_of(tensor)]


def _is_at_once(dims: Sequence[int]) -> bool:
    return 1 < len(dims) <= _MAX_DIMENSIONS and list(dims) != _PLANE


def _copy_for_batches(tensor: torch.Tensor, dims: Sequence[int]) -> list[int]:
    """Return the size of a copy where the other dimensions cannot be seen as one."""
    others = [dim for dim in range(tensor.dim()) if dim not in dims and tensor.size(dim) > 1]
    others.sort(key=tensor.stride, reverse=True)
    for outer, inner in pairwise(others):
        if tensor.stride(outer) != tensor.stride(inner) * tensor.size(inner):
            return [bytes_of(tensor)]
    return []


BUFFERS: dict[str, Callable[[Bound], Any]] = {
    "_fft_r2c": _to_complex,
    "_fft_c2r": _to_real,
    "_fft_c2c": _of_complex,
}
"""What an operator's kernel takes beside its results, by the operator's name."""
