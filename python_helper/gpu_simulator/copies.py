"""The copies that kernels take of tensors which lie in another order than they read."""

from __future__ import annotations

import torch


def bytes_of(tensor: torch.Tensor) -> int:
    """Return the size of a tensor's elements, in bytes, however they lie."""
    return tensor.numel() * tensor.element_size()


def copy_in_order(
    tensor: torch.Tensor, order: torch.memory_format = torch.contiguous_format
) -> list[int]:
    """Return the size of a copy in an order, in bytes; nothing where a tensor lies so already."""
    return [] if tensor.is_contiguous(memory_format=order) else [bytes_of(tensor)]
