"""The copies that cuDNN's convolutions take of tensors that lie in another order than it reads.

All of a convolution is read in the order that its input or its weight suggests, and each kernel of
its backward in that of what it is given (`aten/src/ATen/native/cudnn/ConvShared.cpp`). Sizes in
bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._prims_common import suggest_memory_format

from .copies import bytes_of, copy_in_order
from .reductions import reduction_buffers
from .torch_internals import META, in_kernel

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
    tensor, weight, given = bound["input"], bound["weight"], bound["grad_output"]
    of_input, of_weight, of_bias = bound["output_mask"]
    read, gradient = _read(given, tensor, weight, bound["transposed"], of_weight)
    sizes: Sizes = [
        bytes_of(copy) for copy, of in ((read, tensor), (gradient, given)) if copy is not of
    ]
    if of_input:
        order = _order(gradient, weight)
        sizes.append((*copy_in_order(gradient, order), *copy_in_order(weight, order)))
    if of_weight:
        order = _order(read, gradient)
        sizes.append((*copy_in_order(gradient, order), *copy_in_order(read, order)))
    if of_bias:
        rest = set(range(given.dim())) - {1}
        element = max(given.element_size(), 4)
        sizes.append(reduction_buffers(given, rest, element=element))
    return sizes


def _read(
    gradient: torch.Tensor,
    tensor: torch.Tensor,
    weight: torch.Tensor,
    is_transposed: bool,
    of_weight: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return input and gradient as both kernels of a backward are given them: themselves or copies.

    What counts for a gradient is what its strides tell, be it of a dimension with one element.
    """
    order = _order(tensor, weight)
    if of_weight and not tensor.is_contiguous(memory_format=order):
        tensor = torch.empty_like(tensor, device=META, memory_format=order)
    order = suggest_memory_format(tensor)
    if is_transposed:
        lies_so = gradient.is_contiguous(memory_format=order)
    else:
        lies_so = suggest_memory_format(gradient) is order
    if not lies_so:
        gradient = torch.empty_like(gradient, device=META, memory_format=order)
    return tensor, gradient


def _order(tensor: torch.Tensor, weight: torch.Tensor) -> torch.memory_format:
    """Return the order that one of both suggests; of double precision cuDNN has but one."""
    if torch.float64 in (tensor.dtype, weight.dtype):
        return torch.contiguous_format
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
        read, gradient = _read(gradient, tensor, weight, rest[4], rest[-1][1])
        orders = _order(gradient, weight), _order(read, gradient)
        first, second = (
            each if each is None else _ordered(each, order)
            for each, order in zip(made[:2], orders, strict=True)
        )
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
