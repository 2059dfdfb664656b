"""What an operator's schema says about memory: read once for each operator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Any

import torch

from .unsupported import missing_feature

_MATRIX_PRODUCTS = {"mm", "addmm", "bmm", "baddbmm", "linear", "_scaled_mm"}
_MIXES_DEVICES = {
    "copy_",
    "_to_copy",
    "index",
    "index_put",
    "index_put_",
    "_index_put_impl_",
    "_ctc_loss",
    "_ctc_loss_backward",
    "_pack_padded_sequence",
    "_pack_padded_sequence_backward",
    "set_",
    "lift_fresh",
    "_foreach_copy_",
}
_SIZED_BY_ARGUMENT = {"size", "repeats", "num_classes", "n", "end", "steps"}

_INDEXING = {"embedding", "gather", "index", "index_select", "take"}

_LARGE_ELEMENTS = 2**24

_size_of = torch.Tensor.size
"""Of a lazy layer's parameters too, which refuse to tell their shape before the first call."""


@dataclass(frozen=True)
class Operation:
    """One operator overload. `written` names, for each result, the argument it is, or None.

    `is_composite`: PyTorch writes it in terms of others. `missing`: what the cards lack to run it.
    """

    func: Any
    name: str
    is_composite: bool
    missing: str | None
    is_view: bool
    is_random: bool
    may_resize: bool
    multiplies_matrices: bool
    mixes_devices: bool
    sized_by_argument: bool
    written: tuple[str | None, ...]
    arguments: tuple[str, ...]

    def argument(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the argument called `name` of a call."""
        if name in kwargs:
            return kwargs[name]
        index = self.arguments.index(name)
        return args[index] if index < len(args) else None

    def may_be_large(self, tensors: list[torch.Tensor]) -> bool:
        """Whether the result could need so much memory that its size must be known first."""
        if all(name is not None for name in self.written):
            return False
        if self.sized_by_argument:
            return True
        sizes = [tensor.numel() for tensor in tensors]
        if sum(sizes) >= _LARGE_ELEMENTS:
            return True
        if self.name.startswith("_foreach_") or len({_size_of(tensor) for tensor in tensors}) <= 1:
            return False  # element by element: no result is larger than its input
        bound = math.prod(sizes) if self.name in _INDEXING else _broadcast_elements(tensors)
        return bound >= _LARGE_ELEMENTS


@cache
def operation(func: Any) -> Operation:
    """Return what is known about the operator overload `func`."""
    schema = func._schema  # noqa: SLF001 -- PyTorch's own tools read it
    name = schema.name.partition("::")[2]
    tags = getattr(func, "tags", ())
    aliases = [result.alias_info for result in schema.returns]
    return Operation(
        func=func,
        name=name,
        is_composite=schema.name.startswith("aten::") and func._can_decompose(),  # noqa: SLF001 -- as above
        missing=missing_feature(schema.name.removeprefix("aten::")),
        is_view=torch.Tag.inplace_view in tags
        or any(alias is not None and not alias.is_write for alias in aliases),
        is_random=torch.Tag.nondeterministic_seeded in tags,
        may_resize=torch.Tag.inplace_view in tags or any(a.is_out for a in schema.arguments),
        multiplies_matrices=name in _MATRIX_PRODUCTS,
        mixes_devices=name in _MIXES_DEVICES,
        sized_by_argument=any(a.name in _SIZED_BY_ARGUMENT for a in schema.arguments),
        written=tuple(_written_argument(alias, schema.arguments) for alias in aliases),
        arguments=tuple(argument.name for argument in schema.arguments),
    )


def _broadcast_elements(tensors: list[torch.Tensor]) -> int:
    """Return the elements of all `tensors` spread over each other, a bound for products too."""
    shapes = [reversed(_size_of(tensor)) for tensor in tensors]
    return math.prod(max(sizes) for sizes in zip_longest(*shapes, fillvalue=1))


def _written_argument(alias: Any, arguments: Any) -> str | None:
    if alias is None or not alias.is_write:
        return None
    for argument in arguments:
        if argument.alias_info is not None and argument.alias_info.before_set == alias.before_set:
            return str(argument.name)
    return None
