"""The copies that cuDNN's convolutions take of tensors that lie in another order than it reads.

All of a convolution is read in the order that its input or its weight suggests. Sizes in bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._prims_common import suggest_memory_format

from .copies import copy_in_order
from .reductions import reduction_buffers
from .torch_internals import in_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    Bound = dict[str, Any]
    Sizes = list[int | tuple[int, ...]]


def _forward(bound: Bound) -> Sizes:
    tensor, weight = bound["input"], bound["weight"]
    order = _order(tensor, weight)
    return [*copy_in_order(tensor, order), *copy_in_order(weight, order)]


def _backward(bound: Bound) -> Sizes:
    """Return the copies for both gradients, and the buffers of the bias's sum."""
    gradient, tensor, weight = bound["grad_output"], bound["input"], bound["weight"]
    order, (of_input, of_weight, of_bias) = _order(tensor, weight), bound["output_mask"]
    # Where it only has to be filled, each of the two gradients fills it again.
    is_kept = bound["transposed"] or suggest_memory_format(gradient) is not order
    copy, again = copy_in_order(gradient, order), [] if is_kept else copy_in_order(gradient, order)
    sizes: Sizes = [*copy_in_order(tensor, order), *(copy if is_kept else [])]
    if of_input:
        sizes.append((*again, *copy_in_order(weight, order)))
    if of_weight:
        sizes.append((*again,))
    if of_bias:
        rest = set(range(gradient.dim())) - {1}
        element = max(gradient.element_size(), 4)
        sizes.append(reduction_buffers(gradient, rest, element=element))
    return sizes


def _order(tensor: torch.Tensor, weight: torch.Tensor) -> torch.memory_format:
    order = suggest_memory_format(tensor)
    return suggest_memory_format(weight) if order is torch.contiguous_format else order


def _convolution(tensor: torch.Tensor, weight: torch.Tensor, *rest: Any) -> torch.Tensor:
    """Return the result in the order that all is read in; on "meta" C++ forgets it."""
    with in_kernel():
        made = torch.ops.aten.convolution.default(tensor, weight, *rest)
        return _ordered(made, _order(tensor, weight))


def _gradients(
    gradient: torch.Tensor, tensor: torch.Tensor, weight: torch.Tensor, *rest: Any
) -> tuple[torch.Tensor | None, ...]:
    """Return the gradients of input and weight in this order, and that of the bias."""
    with in_kernel():
        made = torch.ops.aten.convolution_backward.default(gradient, tensor, weight, *rest)
        order = _order(tensor, weight)
        first, second = (each if each is None else _ordered(each, order) for each in made[:2])
        return first, second, made[2]


def _ordered(made: torch.Tensor, order: torch.memory_format) -> torch.Tensor:
    return torch.empty_like(made, memory_format=order)


ANSWERS: dict[str, Callable[..., Any]] = {
    "convolution": _convolution,
    "convolution_backward": _gradients,
}
"""What makes the results of an operator without values, in the order that cuDNN gives them."""

BUFFERS: dict[str, Callable[[Bound], Sizes]] = {
    "convolution": _forward,
    "_convolution": _forward,
    "convolution_backward": _backward,
}
"""What an operator's kernel takes beside its results, by the operator's name."""
