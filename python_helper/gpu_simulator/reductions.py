"""The buffers of CUDA's reductions, where several thread blocks work on one result.

The rules are those of `setReduceConfig` in PyTorch's `aten/src/ATen/native/cuda/Reduce.cuh`, and
of its `TensorIterator`, which puts the dimensions in order and joins them. Sizes in bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch

MULTIPROCESSORS = 108
THREADS_PER_MULTIPROCESSOR = 2048
"""Of the card that is simulated, an A100: how much work it takes to fill it."""

_WARP = 32
_MAX_THREADS = 512
_VECTOR = 4
_MIN_VALUES, _MAX_VALUES = 16, 256
_MIN_VECTORIZED = 128
_MAX_OFFSET = 2**31 - 1


@dataclass(frozen=True)
class _Dimension:
    """A dimension of what is reduced; `target` is its stride in the result, 0 where reduced."""

    size: int
    source: int
    target: int


def sum_dtype(bound: dict[str, Any]) -> torch.dtype:
    """Return the type of a sum or product, from its arguments: whole numbers become int64."""
    own, wanted, out = bound["self"].dtype, bound.get("dtype"), bound.get("out")
    if out is not None:
        return out.dtype  # type: ignore[no-any-return]  # arguments are Any
    return wanted or (own if own.is_floating_point or own.is_complex else torch.int64)


def reduction_buffers(
    tensor: torch.Tensor, dims: set[int], *, element: int, at_once: int = 4
) -> tuple[int, ...]:
    """Return the sizes of two buffers for reducing `dims` of `tensor`: partial results, counters.

    `element` is the size of a partial result, and `at_once` how many values a thread has in flight.
    """
    if tensor.numel() == 0:
        return ()
    width = tensor.element_size()
    dimensions = _fitting(_joined(_ordered(_dimensions(tensor, dims))), width)
    return _buffers(dimensions, element, at_once)


def _dimensions(tensor: torch.Tensor, dims: set[int]) -> list[_Dimension]:
    """Return the dimensions, the last first; the result is contiguous."""
    dimensions, target = [], 1
    for dim in reversed(range(tensor.dim())):
        size = tensor.size(dim)
        dimensions.append(_Dimension(size, tensor.stride(dim), 0 if dim in dims else target))
        target *= 1 if dim in dims else size
    return dimensions


def _ordered(dimensions: list[_Dimension]) -> list[_Dimension]:
    """Sort as PyTorch does: reduced dimensions first, then by strides where these can tell."""
    found = list(dimensions)
    for start in range(1, len(found)):
        moving = start
        for other in reversed(range(start)):
            order = _compare(found[other], found[moving])
            if order < 0:
                break
            if order > 0:
                found[other], found[moving] = found[moving], found[other]
                moving = other
    return found


def _compare(first: _Dimension, second: _Dimension) -> int:
    if (first.target == 0) != (second.target == 0):
        return 1 if second.target == 0 else -1
    for one, other in ((first.target, second.target), (first.source, second.source)):
        if one == 0 or other == 0:
            continue
        if one != other:
            return -1 if one < other else 1
        if first.size > second.size:
            return 1
    return 0


def _joined(dimensions: list[_Dimension]) -> list[_Dimension]:
    """Join neighbours that are one dimension in memory."""
    found: list[_Dimension] = []
    for dimension in dimensions:
        last = found[-1] if found else None
        if last is None:
            found.append(dimension)
        elif last.size == 1:
            found[-1] = dimension
        elif dimension.size == 1 or (
            last.size * last.source == dimension.source
            and last.size * last.target == dimension.target
        ):
            found[-1] = replace(last, size=last.size * dimension.size)
        else:
            found.append(dimension)
    return found


def _fitting(dimensions: list[_Dimension], width: int) -> list[_Dimension]:
    """Halve the longest dimension until 32 bits can count the bytes: each part is reduced alone."""
    found = list(dimensions)
    while sum((dimension.size - 1) * dimension.source for dimension in found) * width > _MAX_OFFSET:
        longest = max(range(len(found)), key=lambda i: (found[i].size - 1) * found[i].source)
        found[longest] = replace(found[longest], size=found[longest].size // 2)
    return found


def _buffers(dimensions: list[_Dimension], element: int, at_once: int) -> tuple[int, ...]:
    reduced = [dimension for dimension in dimensions if dimension.target == 0]
    kept = dimensions[len(reduced) :]
    inputs, outputs = _product(reduced), _product(kept)
    along_input = not kept or (bool(reduced) and reduced[0].source < kept[0].source)
    fastest = (reduced if along_input else kept)[0].source if dimensions else 1
    across, down = (inputs, outputs) if along_input else (outputs, inputs)
    vector = 1
    if fastest == 1 and along_input:
        if across >= _MIN_VECTORIZED and len(dimensions) == 1 and at_once >= _VECTOR:
            across //= _VECTOR
    elif fastest == 1:
        vector = _output_vector(kept[0], dimensions)
        across //= vector
    block_x, block_y = _block(across, down, _MAX_THREADS // vector)
    step_input = block_x if along_input else 1
    step_output = 1 if along_input else block_x
    values = -(-inputs // step_input)
    split_down = values >= block_y * _MIN_VALUES or values >= _MAX_VALUES
    if split_down:
        values = -(-inputs // (step_input * block_y))
    else:
        step_output *= block_y
    grid = -(-(outputs // vector) // step_output)
    target = MULTIPROCESSORS * (THREADS_PER_MULTIPROCESSOR // (block_x * block_y))
    if not split_down or values < _MAX_VALUES or grid > target:
        return ()
    blocks = max(min(-(-target // grid), -(-values // _MIN_VALUES)), -(-values // _MAX_VALUES))
    if blocks <= 1:
        return ()
    partial = element * outputs * blocks
    return (partial if along_input else partial * block_x * vector), 4 * grid


def _product(dimensions: list[_Dimension]) -> int:
    product = 1
    for dimension in dimensions:
        product *= dimension.size
    return product


def _block(across: int, down: int, threads: int) -> tuple[int, int]:
    """Return width and height of a thread block."""
    across = min(_power_of_2(across), threads)
    down = min(_power_of_2(down), threads)
    height = min(down, threads // min(across, _WARP))
    return min(across, threads // height), height


def _power_of_2(number: int) -> int:
    return 1 << max(number.bit_length() - 1, 0)


def _output_vector(first: _Dimension, dimensions: list[_Dimension]) -> int:
    """Return how many results beside each other a thread makes: what divides every step."""
    steps = [first.size, *(dimension.source for dimension in dimensions if dimension is not first)]
    return next(vector for vector in (4, 2, 1) if all(step % vector == 0 for step in steps))
