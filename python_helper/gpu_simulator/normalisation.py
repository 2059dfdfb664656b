"""What kernels of normalisation take beside their results: of cuDNN's only the copies are known.

The rules are those of PyTorch's `group_norm_kernel.cu`, `Normalization.cu` and `Normalization.cuh`
in `aten/src/ATen/native/cuda`. Sizes in bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._prims_common import suggest_memory_format

from .copies import copy_in_order
from .torch_internals import in_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    Bound = dict[str, Any]

_COUNT = 4
_THREADS, _TILE, _A_THREAD, _MAX_BLOCKS, _FEW_BLOCKS = 512, 32, 16, 128, 8
_MATRIX = 2


def _group(bound: Bound) -> list[int]:
    """Return what each channel of each image is multiplied by, and what is added to it."""
    has_weight = bound.get("weight") is not None or bound.get("bias") is not None
    return [_channels(bound)] * 2 if has_weight and bound["HxW"] > 1 else []


def _group_backward(bound: Bound) -> list[int]:
    """Return two sums over each channel, and with them those over groups."""
    channels = _channels(bound)
    if not bound["output_mask"][0]:
        return [channels, channels]
    groups = channels // bound["C"] * bound["group"]
    has_factors = bound.get("weight") is not None and bound["HxW"] > 1
    return [channels, channels, groups, groups, *([channels] if has_factors else [])]


def _channels(bound: Bound) -> int:
    return int(bound["N"] * bound["C"] * max(bound["input"].element_size(), 4))


def _batch(bound: Bound) -> list[int]:
    """Return the copy for cuDNN; or buffers for the mean, where channels lie beside each other."""
    tensor, training = bound["input"], bound.get("training", True)
    if _is_for_cudnn(bound, training=training):
        return copy_in_order(tensor, suggest_memory_format(tensor))
    return _partial_sums(tensor, 4) if training else []


def _batch_backward(bound: Bound) -> list[int]:
    """Return the copy for cuDNN; or two sums over each channel, and their buffers."""
    tensor = bound["input"]
    if _is_for_cudnn(bound, training=bound["train"]):
        return copy_in_order(bound["grad_out"], suggest_memory_format(tensor))
    if not _is_by_channels(tensor):
        return []
    sums = tensor.size(1) * max(tensor.element_size(), 4)
    return [sums, sums, *_partial_sums(tensor, 2)]


def _is_for_cudnn(bound: Bound, *, training: bool) -> bool:
    """Whether it is cuDNN that normalises over a batch: `_select_batch_norm_backend` in C++."""
    tensor, weight = bound["input"], bound.get("weight")
    kept = {bound.get(name) is not None for name in ("running_mean", "running_var")}
    return (
        weight is not None
        and tensor.dim() > _MATRIX
        and torch.bfloat16 not in (tensor.dtype, weight.dtype)
        and (tensor.dtype is not torch.float16 or weight.dtype is torch.float32)
        and (kept == {True} or (kept == {False} and training))
    )


def _is_by_channels(tensor: torch.Tensor) -> bool:
    is_last = suggest_memory_format(tensor) is not torch.contiguous_format
    return is_last or (tensor.dim() == _MATRIX and tensor.is_contiguous())


def _partial_sums(tensor: torch.Tensor, sums: int) -> list[int]:
    """Return the buffers of several blocks that work on a channel, of so many sums each."""
    if not _is_by_channels(tensor) or not tensor.numel():
        return []
    channels = tensor.size(1)
    items = tensor.numel() // channels
    across = min(_power_of_2(channels), _TILE)
    down = min(_power_of_2(-(-items // _A_THREAD)), _THREADS // across)
    if across * down != _THREADS:
        across = min(_power_of_2(channels), _THREADS // down)
    blocks = min(-(-items // (down * _A_THREAD)), _MAX_BLOCKS)
    if blocks < _FEW_BLOCKS:
        return []
    width = max(tensor.element_size(), 4)
    return [sums * channels * blocks * width, -(-channels // across) * _COUNT]


def _power_of_2(number: int) -> int:
    return 1 << max(number.bit_length() - 1, 0)


def _batch_gradients(
    gradient: torch.Tensor, tensor: torch.Tensor, *rest: Any
) -> tuple[torch.Tensor | None, ...]:
    """Return the gradients, that of the input in the order of the input."""
    with in_kernel():
        made = torch.ops.aten.native_batch_norm_backward.default(gradient, tensor, *rest)
        if made[0] is None:
            return tuple(made)
        order = suggest_memory_format(tensor)
        return torch.empty_like(made[0], memory_format=order), *made[1:]


ANSWERS: dict[str, Callable[..., Any]] = {"native_batch_norm_backward": _batch_gradients}
"""What makes the results of an operator without values, in the order that a card gives them."""

BUFFERS: dict[str, Callable[[Bound], list[int]]] = {
    "native_group_norm": _group,
    "native_group_norm_backward": _group_backward,
    "native_batch_norm": _batch,
    "_native_batch_norm_legit": _batch,
    "native_batch_norm_backward": _batch_backward,
}
"""What an operator's kernel takes beside its results, by the operator's name."""
