"""The copies that kernels take of tensors which lie in another order than they read.

So does what goes between the host and a card, in an order or a type of its own: the rules are
those of `aten/src/ATen/native/cuda/Copy.cu`. Sizes in bytes.
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
    source = bound["self"]
    device, order = bound.get("device"), bound.get("memory_format") or torch.preserve_format
    is_same_side = device is None or is_meta(source) == (device.type != "cpu")
    if is_same_side or source.layout is not torch.strided:
        return []
    dtype = bound.get("dtype") or source.dtype
    target = torch.empty_like(source, dtype=dtype, device=META, memory_format=order)
    return _carried(target, source, bound, to_card=not is_meta(source))


def _copied(bound: Bound) -> list[int]:
    target, source = bound["self"], bound["src"]
    if not isinstance(source, torch.Tensor) or is_meta(target) == is_meta(source):
        return []
    return _carried(target, source.expand(target.size()), bound, to_card=is_meta(target))


def _carried(
    target: torch.Tensor, source: torch.Tensor, bound: Bound, *, to_card: bool
) -> list[int]:
    """Return what a card takes for what goes from it or to it: memory of one piece goes as it is.

    Types are changed by the host where it waits, else by the card.
    """
    is_same_type = source.dtype is target.dtype
    if is_same_type and _lie_alike(target, source):
        return []
    waits, items = not bound.get("non_blocking"), target.numel()
    if to_card:
        is_taken_as_it_is = target.is_contiguous() and (waits or is_same_type)
        return [] if is_taken_as_it_is else [items * (target if waits else source).element_size()]
    if waits or is_same_type:
        return copy_in_order(source)
    converted = torch.empty_like(source, dtype=target.dtype, device=META)
    return [bytes_of(converted), *copy_in_order(converted)]


def _lie_alike(target: torch.Tensor, source: torch.Tensor) -> bool:
    """Whether both are one piece of memory, in the same order."""
    steps = [
        [step for step, size in zip(each.stride(), each.size(), strict=True) if size > 1]
        for each in (target, source, torch.empty_like(source, device=META))
    ]
    return source.numel() < 2 or steps[0] == steps[1] == steps[2]  # noqa: PLR2004 -- one element has no order


BUFFERS: dict[str, Callable[[Bound], list[int]]] = {"_to_copy": _moved, "copy_": _copied}
"""What an operator's kernel takes beside its results, by the operator's name."""
