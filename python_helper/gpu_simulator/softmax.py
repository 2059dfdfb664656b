"""Softmax, and the loss of classes that is built on it, in half precision.

A card's kernel reads float16 and makes float32 of it; elsewhere C++ makes a copy in float32 first,
and for bfloat16 it does so everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from . import moves

if TYPE_CHECKING:
    from collections.abc import Callable

    from .machine import Machine
    from .torch_internals import Arguments, Keywords

_nn: Any = torch._C._nn  # noqa: SLF001 -- what `torch.nn.functional` calls

cross_entropy = _nn.cross_entropy_loss
"""What `F.cross_entropy` calls."""


def _softmax(kernel: Any) -> Callable[[Machine, Any, Arguments, Keywords], Any]:
    """Return what serves a kind of softmax whose operator is `kernel`."""

    def run(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        tensor, dim, dtype = moves.bind(("input", "dim", "dtype"), args, kwargs)
        widens = dtype is torch.float32 and tensor.dtype is torch.float16
        if not (widens and isinstance(dim, int) and "out" not in kwargs and machine.holds(tensor)):
            return func(*args, **kwargs)
        return kernel(tensor, dim, True)

    return run


def cross_entropy_under_autocast(  # noqa: PLR0913, PLR0917 -- PyTorch's own arguments
    logits: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> torch.Tensor:
    """Return the loss in the operators that C++ writes it in; autocast has lists for these.

    The logarithms of softmax stay in the type of the logits, and are kept; what is made of them is
    float32. A weight of classes counts only without smoothing, and for targets that are classes.
    """
    dim = 0 if logits.dim() == 1 else 1
    has_chances = logits.shape == target.shape
    classes = logits.size(dim)
    if has_chances and label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    logarithms = torch.log_softmax(logits, dim, dtype=logits.dtype)
    if has_chances:
        products = logarithms * target
        if reduction == _EACH:
            return -products.sum(dim)
        total = -products.sum()
        return total if reduction == _SUM else total / (logarithms.numel() / classes)
    loss: torch.Tensor = _nn.nll_loss_nd(logarithms, target, weight, reduction, ignore_index)
    if not label_smoothing:
        return loss
    smooth = -logarithms.sum(dim)
    ignored = target == ignore_index
    smooth.masked_fill_(ignored, 0.0)
    if reduction == _EACH:
        rest = smooth
    elif reduction == _SUM:
        rest = smooth.sum()
    else:
        counted = ~ignored
        count = counted.sum()  # the last operand first, as GCC works it out
        rest = smooth.sum() / count
        del count, counted
    return (1 - label_smoothing) * loss + rest * (label_smoothing / classes)


_EACH, _SUM = 0, 2


def is_composed(machine: Machine, args: Arguments, kwargs: Keywords) -> bool:
    """Whether the loss of these arguments is written out above."""
    logits, target, weight, _, _, smoothing = moves.bind(_ARGUMENTS, args, kwargs)
    is_weighted = weight is not None and (smoothing or logits.shape == target.shape)
    return machine.holds(logits) and not is_weighted


_ARGUMENTS = ("input", "target", "weight", "reduction", "ignore_index", "label_smoothing")

_aten = torch.ops.aten
CALLS: dict[Any, Callable[[Machine, Any, Arguments, Keywords], Any]] = {
    torch.softmax: _softmax(_aten._softmax),  # noqa: SLF001 -- no public name, as below
    torch.Tensor.softmax: _softmax(_aten._softmax),  # noqa: SLF001
    torch.log_softmax: _softmax(_aten._log_softmax),  # noqa: SLF001
    torch.Tensor.log_softmax: _softmax(_aten._log_softmax),  # noqa: SLF001
}
"""The functions of PyTorch that are served here."""
