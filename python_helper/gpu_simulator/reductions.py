"""The buffers of CUDA's reductions, where several thread blocks work on one result.

The rules are those of `setReduceConfig` in PyTorch's `aten/src/ATen/native/cuda/Reduce.cuh`, for a
tensor that lies in one piece. Sizes in bytes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

_MULTIPROCESSORS = 108
_THREADS_PER_MULTIPROCESSOR = 2048
"""Threads of the simulated GPU, an A100: they decide how much work fills it."""

_WARP = 32
_MAX_THREADS = 512
_VECTOR = 4
_MIN_VALUES, _MAX_VALUES = 16, 256
_MIN_VECTORIZED = 128


def reduction_buffers(
    tensor: torch.Tensor, dims: set[int], *, element: int, at_once: int
) -> tuple[int, ...]:
    """Return the sizes of two buffers for reducing `dims` of `tensor`: partial results, counters.

    `element` is the size of a partial result, and `at_once` how many values a thread has in flight.
    """
    if tensor.numel() == 0:
        return ()
    inputs = math.prod(tensor.size(dim) for dim in dims)
    outputs = tensor.numel() // inputs
    fastest = min(range(tensor.dim()), key=tensor.stride, default=0)
    along_input = outputs == 1 or fastest in dims
    across, down = (inputs, outputs) if along_input else (outputs, inputs)
    vector = 1
    if not along_input:
        vector = math.gcd(outputs, _VECTOR)
        across //= vector
    elif outputs == 1 and across >= _MIN_VECTORIZED and at_once >= _VECTOR:
        across //= _VECTOR
    block_x, block_y = _block(across, down, _MAX_THREADS // vector)
    step_input = block_x if along_input else 1
    step_output = 1 if along_input else block_x
    values = -(-inputs // step_input)
    if values < min(block_y * _MIN_VALUES, _MAX_VALUES):
        return ()
    values = -(-inputs // (step_input * block_y))
    grid = -(-(outputs // vector) // step_output)
    target = _MULTIPROCESSORS * (_THREADS_PER_MULTIPROCESSOR // (block_x * block_y))
    if values < _MAX_VALUES or grid > target:
        return ()
    blocks = max(min(-(-target // grid), -(-values // _MIN_VALUES)), -(-values // _MAX_VALUES))
    if blocks == 1:
        return ()
    partial = element * outputs * blocks
    return (partial if along_input else partial * block_x * vector), 4 * grid


def _block(across: int, down: int, threads: int) -> tuple[int, int]:
    """Return width and height of a thread block."""
    across = min(_power_of_2(across), threads)
    down = min(_power_of_2(down), threads)
    height = min(down, threads // min(across, _WARP))
    return min(across, threads // height), height


def _power_of_2(number: int) -> int:
    return 1 << max(number.bit_length() - 1, 0)
