"""Indices as Python writes them: lists, arrays and masks, as C++ takes them to a GPU.

The rules are those of `torch/csrc/autograd/python_variable_indexing.cpp`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from . import moves
from .scratch import MASKS
from .sizing import known_slice
from .torch_internals import CPU, without_torch_function

if TYPE_CHECKING:
    from .gpu import SimGpu
    from .machine import Machine
    from .torch_internals import Arguments, Keywords

_Tensor = torch.Tensor
_NUMBERS = (bool, int, float, complex)
_MANY = 32
"""A list of so many is one index, whatever is in it."""
_ALONE = (list, tuple, range, slice, _Tensor)
"""Types that are one index in a list of indices; arrays are too."""


def get(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Serve `tensor[index]`, and what `put` leaves of `tensor[index] = value`."""
    index, home = args[1], machine.gpu_of(args[0])
    several = tuple if isinstance(index, tuple) else list if _is_one_for_each_dim(index) else None
    parts = index if several else (index,)
    if not machine.compute.has_values and any(type(part) is slice for part in parts):
        sized = [known_slice(part, machine.is_unknown) for part in parts]
        if any(one is not part for one, part in zip(sized, parts, strict=True)):
            largest = several(sized) if several else sized[0]
            result = get(machine, func, (args[0], largest, *args[2:]), kwargs)
            if result is not None:
                with without_torch_function():
                    machine.memory.note_largest(result, frozenset(result.shape))
            return result
    if home is None:
        return func(*args, **kwargs)
    placed = [_placed(machine, part, home) for part in parts]
    found = [_found(machine, args[0], placed, place) for place in range(len(placed))]
    if any(one is not part for one, part in zip(placed, parts, strict=True)) or any(found):
        of_each = [known or [part] for known, part in zip(found, placed, strict=True)]
        index = (several or tuple)([part for each in of_each for part in each])
    return func(args[0], index, *args[2:], **kwargs)


def put(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Serve `tensor[index] = value`: a number is one of the host, where the tensor is on a GPU."""
    if isinstance(args[2], _NUMBERS) and machine.holds(args[0]):
        args = (*args[:2], torch.scalar_tensor(args[2], dtype=args[0].dtype, device=CPU))
    home, source_home = machine.gpu_of(args[0]), machine.gpu_of(args[2])
    if home is not None and source_home not in (None, home) and moves.is_tracked(args[2]):
        args = (*args[:2], moves.to(machine, _Tensor.to, (args[2], home.device), {}))
    return get(machine, func, args, kwargs)


def _is_one_for_each_dim(index: Any) -> bool:
    """Whether a list is taken for as many indices as it is long."""
    return (
        isinstance(index, list)
        and len(index) < _MANY
        and any(
            part is None or part is ... or isinstance(part, _ALONE) or _is_array(part)
            for part in index
        )
    )


def _placed(machine: Machine, part: Any, home: SimGpu) -> Any:
    """Return an index that is a list or an array as a tensor; a mask stays on the host."""
    if isinstance(part, (list, range)):
        if not all(isinstance(item, (int, list)) for item in part):
            return part
    elif not _is_array(part):
        return part
    on_host = torch.as_tensor(part, device=CPU)
    if on_host.dtype in MASKS or not on_host.dim():
        return on_host
    return moves.to(machine, _Tensor.to, (on_host.long(), home.device), {})


def _found(
    machine: Machine, tensor: torch.Tensor, parts: list[Any], place: int
) -> list[torch.Tensor]:
    """Return the indices that a mask of the host becomes there; nothing: it is none, or wrong."""
    mask = parts[place]
    if not _is_mask(mask) or not mask.dim():
        return []
    before = [part for part in parts[:place] if part is not None]
    if machine.holds(mask) or machine.is_unknown(mask) or any(part is ... for part in before):
        return []
    dim = sum(part.dim() if _is_mask(part) else 1 for part in before)
    if tensor.shape[dim : dim + mask.dim()] != mask.shape:
        return []
    with without_torch_function():
        return list(mask.nonzero().unbind(1))


def _is_array(part: Any) -> bool:
    return type(part).__module__ == "numpy" and getattr(part, "ndim", 0) > 0


def _is_mask(part: Any) -> bool:
    return isinstance(part, _Tensor) and part.dtype in MASKS
