"""The copies that kernels take of tensors which lie in another order than they read.

So is what goes to the host, in an order of its own. Sizes in bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .torch_internals import META, is_meta

if TYPE_CHECKING:
    from collections.abc import Callable

    Bound = dict[str, Any]


def bytes_of(tensor: torch.Tensor) -> int:
    """Return the size of a tensor's elements, in bytes, however they lie."""
    return tensor.numel() * tensor.element_size()


def copy_in_order(
    tensor: torch.Tensor, order: torch.memory_format = torch.contiguous_format
) -> list[int]:
    """Return the size of a copy in an order, in bytes; nothing where a tensor lies so already."""
    return [] if tensor.is_contiguous(memory_format=order) else [bytes_of(tensor)]


def _moved(bound: Bound) -> list[int]:
    """Return the copy of what goes to the host and is not one piece of memory."""
    source, device = bound["self"], bound.get("device")
    goes = device is not None and device.type == "cpu" and is_meta(source)
    is_one = not goes or torch.empty_like(source, device=META).stride() == source.stride()
    return [] if is_one else [bytes_of(source)]


def _copied(bound: Bound) -> list[int]:
    target, source = bound["self"], bound["src"]
    goes = isinstance(source, torch.Tensor) and is_meta(source) and not is_meta(target)
    return copy_in_order(source) if goes and source.stride() != target.stride() else []


BUFFERS: dict[str, Callable[[Bound], list[int]]] = {"_to_copy": _moved, "copy_": _copied}
"""What an operator's kernel takes beside its results, by the operator's name."""
