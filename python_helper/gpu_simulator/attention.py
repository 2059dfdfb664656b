"""Attention without the matrix of scores: CUDA's two fused kernels, and what they take meanwhile.

In half precision and without a mask it is FlashAttention, else the "memory efficient" kernel of
xFormers, as PyTorch chooses for an Ampere GPU. Sizes in bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Bound = dict[str, Any]
    Sizes = Sequence[int | tuple[int, ...]]

_FLOAT, _HEADER = 4, 16
_HALVES = (torch.float16, torch.bfloat16)
_FLASH_ALIGNMENT, _MASK_ALIGNMENT = 8, 8
_EFFICIENT_ALIGNMENT = {torch.float16: 8, torch.bfloat16: 8, torch.float32: 4}
_MAX_FLASH_WIDTH = 256


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


def _flash_backward(bound: Bound) -> Sizes:
    """Return copies, the sums of rows, and the gradient of the query in float32."""
    return [*_copies(bound["grad_out"], bound["out"]), *_sums(bound["query"])]


def _efficient_backward(bound: Bound) -> Sizes:
    """Return copies, the product of gradient and result in float32, and what FlashAttention has."""
    query, gradient = bound["query"], bound["grad_out_" if "grad_out_" in bound else "grad_out"]
    product: list[tuple[int, ...]] = [] if query.dtype in _HALVES else [(query.numel() * _FLOAT,)]
    rows, summed = _sums(query)
    headers = query.shape[0] * query.shape[1] * _HEADER
    return [*_copies(gradient), rows, *product, summed + headers]


def _sums(query: torch.Tensor) -> tuple[int, int]:
    summed = query.numel() * _FLOAT
    return summed // max(query.shape[-1], 1), summed


def _copies(*tensors: torch.Tensor) -> list[int]:
    """Return the sizes of copies of those that lie otherwise than position by position."""
    moved = (each for each in tensors if not each.transpose(1, 2).is_contiguous())
    return [tensor.numel() * tensor.element_size() for tensor in moved]


BUFFERS: dict[str, Callable[[Bound], Sizes]] = {
    "_scaled_dot_product_flash_attention_backward": _flash_backward,
    "_scaled_dot_product_efficient_attention_backward": _efficient_backward,
    # The replacement of both where there are values.
    "_scaled_dot_product_flash_attention_for_cpu_backward": _efficient_backward,
}
"""The buffers of each operator, by the arguments of its call."""
