"""Attention without the matrix of scores: CUDA's two fused kernels, and what they take meanwhile.

In half precision and without a mask it is FlashAttention, else the "memory efficient" kernel of
xFormers, as PyTorch chooses for an Ampere card. The sizes of buffers were measured with PyTorch
2.13.0's own allocator over a stub runtime. Sizes in bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from .copies import copy_in_order
from .reductions import MULTIPROCESSORS

if TYPE_CHECKING:
    from collections.abc import Callable

_FLOAT = 4
_HALVES = (torch.float16, torch.bfloat16)
_FLASH_ALIGNMENT, _MASK_ALIGNMENT = 8, 8
_EFFICIENT_ALIGNMENT = {torch.float16: 8, torch.bfloat16: 8, torch.float32: 4}
_MAX_FLASH_WIDTH = 256
_ENOUGH_WORK, _ENOUGH_OF_BEST, _MAX_SPLITS = 0.8, 0.85, 128


@dataclass
class Attention:
    """The arguments of one call; tensors of batch, heads, length and width."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    mask: torch.Tensor | None
    dropout_p: float
    is_causal: bool
    scale: float | None

    def by_fused_kernel(self) -> torch.Tensor | None:
        """Return the result of a fused kernel, without values; None where there is none for it."""
        dtype, width = self.query.dtype, self.query.shape[-1]
        if any(each.stride(-1) != 1 for each in (self.query, self.key, self.value)):
            return None
        may = torch.backends.cuda
        fits_flash = self.mask is None and dtype in _HALVES and width <= _MAX_FLASH_WIDTH
        if fits_flash and may.flash_sdp_enabled():
            return self._flash()
        alignment = _EFFICIENT_ALIGNMENT.get(dtype)
        if alignment is None or width % alignment or not may.mem_efficient_sdp_enabled():
            return None
        return self._efficient()

    def _flash(self) -> torch.Tensor:
        width = self.query.shape[-1]
        scale = width**-0.5 if self.scale is None else self.scale
        padding = -width % _FLASH_ALIGNMENT
        tensors = [self.query, self.key, self.value]
        if padding:
            tensors = [torch.nn.functional.pad(tensor, (0, padding)) for tensor in tensors]
        kernel = torch.ops.aten._scaled_dot_product_flash_attention  # noqa: SLF001 -- no public name
        attended: torch.Tensor = kernel(*tensors, self.dropout_p, self.is_causal, scale=scale)[0]
        return attended[..., :width] if padding else attended

    def _efficient(self) -> torch.Tensor:
        tensors = self.query, self.key, self.value
        saves = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
        bias = None if self.mask is None else _bias(self.mask, self.query, self.key)
        kernel = torch.ops.aten._scaled_dot_product_efficient_attention  # noqa: SLF001 -- as above
        results: tuple[torch.Tensor, ...] = kernel(
            *tensors, bias, saves, self.dropout_p, self.is_causal, scale=self.scale
        )
        return results[0]


def _bias(mask: torch.Tensor, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """Return `mask` as something to add, spread over all heads, its rows aligned in memory."""
    if mask.dtype is torch.bool:
        zero, never = (
            torch.full((), number, dtype=query.dtype, device=mask.device)
            for number in (0.0, -math.inf)
        )
        mask = torch.where(mask, zero, never)
    padding = -mask.shape[-1] % _MASK_ALIGNMENT
    if padding:
        length = mask.shape[-1]
        mask = torch.nn.functional.pad(mask, (0, padding))[..., :length]
    return mask.expand(query.shape[0], query.shape[1], query.shape[2], key.shape[2])


def flash_forward(query: torch.Tensor, key: torch.Tensor, dropout_p: float) -> list[int]:
    """Return the buffers of FlashAttention, which splits the keys where it has little work."""
    batch, heads, length, width = query.shape
    if dropout_p:
        return [16]
    keys_at_once = 256 if width <= 64 else 128 if width <= 128 else 64  # noqa: PLR2004 -- widths of its kernels
    splits = _splits(batch * heads * -(-length // 64), -(-key.shape[2] // keys_at_once))
    if splits == 1:
        return []
    rows = splits * batch * heads * length * _FLOAT
    return [rows, rows * _rounded_width(width)]


def flash_backward(query: torch.Tensor, gradient: torch.Tensor, result: torch.Tensor) -> list[int]:
    """Return the buffers of FlashAttention's backward."""
    batch, heads, length, width = query.shape
    rows = batch * heads * -(-length // 128) * 128 * _FLOAT
    return [*_copies(gradient, result), rows, rows * _rounded_width(width)]


def efficient_forward(query: torch.Tensor) -> list[int]:
    """Return the buffers of the memory efficient kernel."""
    wide = query.shape[-1] > 128 and query.dtype in _HALVES  # noqa: PLR2004 -- as above
    return [query.numel() * _FLOAT] if wide else []


def efficient_backward(
    query: torch.Tensor, key: torch.Tensor, gradient: torch.Tensor
) -> list[int | tuple[int, ...]]:
    """Return the buffers of the memory efficient kernel's backward; a tuple goes before the rest.

    In float32 a product of gradient and result is summed first.
    """
    batch, heads, length, width = query.shape
    is_half = query.dtype in _HALVES
    rows = batch * heads * length * _FLOAT
    summed: tuple[int, ...] = () if is_half else (query.numel() * _FLOAT, rows)
    wide = width > 128  # noqa: PLR2004 -- as above
    tall = 64 if width <= 64 else 128  # noqa: PLR2004 -- as above
    across = 64 if wide or width <= 64 else 128  # noqa: PLR2004 -- as above
    header = 16 if is_half or across == 64 else 32  # noqa: PLR2004 -- as above
    workspace = -(-length // tall) * -(-width // across) * (tall * across * _FLOAT + header)
    if wide and is_half:
        workspace += 2 * -(-key.shape[2] // 64) * 64 * -(-width // 128) * 128 * _FLOAT
    return [*_copies(gradient), rows, summed, batch * heads * workspace]


def _copies(*tensors: torch.Tensor) -> list[int]:
    """Return the sizes of copies of those that lie otherwise than position by position."""
    return [size for tensor in tensors for size in copy_in_order(tensor.transpose(1, 2))]


def _splits(tasks: int, blocks: int) -> int:
    """Return in how many parts the keys are read: `num_splits_heuristic` of FlashAttention."""
    processors = 2 * MULTIPROCESSORS
    if tasks >= _ENOUGH_WORK * processors:
        return 1
    most = min(_MAX_SPLITS, processors, blocks)
    efficiency = {}
    for splits in range(1, most + 1):
        if splits == 1 or -(-blocks // splits) != -(-blocks // (splits - 1)):
            waves = tasks * splits / processors
            efficiency[splits] = waves / math.ceil(waves)
    best = max(efficiency.values(), default=0)
    return next((n for n, each in efficiency.items() if each >= _ENOUGH_OF_BEST * best), 1)


def _rounded_width(width: int) -> int:
    multiple = 32 if width <= 128 else 64  # noqa: PLR2004 -- as above
    return -(-width // multiple) * multiple


BUFFERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "_scaled_dot_product_flash_attention": lambda bound: flash_forward(
        bound["query"], bound["key"], bound.get("dropout_p", 0.0)
    ),
    "_scaled_dot_product_flash_attention_backward": lambda bound: flash_backward(
        bound["query"], bound["grad_out"], bound["out"]
    ),
    "_scaled_dot_product_efficient_attention": lambda bound: efficient_forward(bound["query"]),
    "_scaled_dot_product_efficient_attention_backward": lambda bound: efficient_backward(
        bound["query"], bound["key"], bound["grad_out_"]
    ),
    # What stands in for both where there are values.
    "_scaled_dot_product_flash_attention_for_cpu_backward": lambda bound: efficient_backward(
        bound["query"], bound["key"], bound["grad_out"]
    ),
}
"""The buffers of each operator, by the arguments of its call."""
