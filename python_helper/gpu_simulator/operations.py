"""Facts about the memory of operators, from their schemas, read once for each."""

from __future__ import annotations

import math
from functools import cache
from itertools import zip_longest
from typing import Any

import torch

from .fused import KERNELS
from .unsupported import missing_feature

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

_COMPOSED = {
    "_euclidean_dist",
    "_pack_padded_sequence",
    "_safe_softmax",
    "_trilinear",
    "affine_grid_generator",
    "binary_cross_entropy_with_logits",
    "isinf",
    "logsumexp",
}
"""Operators that C++ writes in terms of others for CUDA too, whose temporary tensors count; their
forms without values make the result alone."""

_COMPOSITIONS = (
    torch._C.DispatchKey.CompositeExplicitAutograd,  # noqa: SLF001 -- no public name
    torch._C.DispatchKey.CompositeExplicitAutogradNonFunctional,  # noqa: SLF001 -- as above
)

_UNCOUNTED = {
    torch.ops.aten._foreach_zero_.default,
    torch.ops.aten._foreach_lerp_.Scalar,
}
"""Operators that write into several tensors, without new versions of these in CUDA's kernels."""

_LARGE_ELEMENTS = 2**24

_size_of = torch.Tensor.size
"""The original method, for parameters of lazy layers, whose shape raises before the first call."""


class Operation:
    """One operator overload. `written` has for each result the argument that it is, or `None`.

    `is_composite`: PyTorch implements it with other operators. `composition`: the dispatch key of
    the kernel that does, where autograd has a formula. `kernel` computes it, on the host or for
    sizes alone. `missing`: what the GPUs lack to run it. `counts_versions`: CUDA's kernel itself
    increases the versions of the tensors it changes.
    """

    def __init__(self, func: Any) -> None:
        schema = func._schema  # noqa: SLF001 -- PyTorch's own tools read it
        aliases = [result.alias_info for result in schema.returns]
        self.func = func
        self.name: str = schema.name.partition("::")[2]
        tags = getattr(func, "tags", ())
        is_native = schema.name.startswith("aten::")
        self.kernel = KERNELS.get(func, func)
        # Where there are kernels as well, CUDA has one.
        decomposes = is_native and func not in KERNELS and func._can_decompose()  # noqa: SLF001 -- as above
        self.is_composite = decomposes and not _has_kernel(func)
        self.composition = _composition(func) if is_native and self.name in _COMPOSED else None
        self.missing = missing_feature(schema.name.removeprefix("aten::"))
        self.is_view = torch.Tag.inplace_view in tags or any(
            alias is not None and not alias.is_write for alias in aliases
        )
        self.is_random = torch.Tag.nondeterministic_seeded in tags
        has_out = any(argument.is_out for argument in schema.arguments)
        self.may_resize = torch.Tag.inplace_view in tags or has_out
        self.mixes_devices = self.name in _MIXES_DEVICES
        self.written = [_written_argument(alias, schema.arguments) for alias in aliases]
        self.makes_nothing = None not in self.written
        is_foreach = self.name.startswith("_foreach_") and self.name.endswith("_")
        self.counts_versions = is_foreach and func not in _UNCOUNTED
        self.arguments: list[str] = [argument.name for argument in schema.arguments]
        self.sized_by_argument = not _SIZED_BY_ARGUMENT.isdisjoint(self.arguments)

    def argument(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the argument called `name` of a call."""
        if name in kwargs:
            return kwargs[name]
        index = self.arguments.index(name)
        return args[index] if index < len(args) else None

    def may_be_large(self, tensors: list[torch.Tensor]) -> bool:
        """Whether the result could need so much memory that its size must be known first."""
        if self.makes_nothing:
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
    return Operation(func)


def _has_kernel(func: Any, key: str = "CPU") -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), key)  # noqa: SLF001 -- no public name


def _composition(func: Any) -> Any:
    return next((key for key in _COMPOSITIONS if _has_kernel(func, key.name)), None)


def _broadcast_elements(tensors: list[torch.Tensor]) -> int:
    """Return the elements of all `tensors` spread over each other, a bound for products too."""
    shapes = [reversed(_size_of(tensor)) for tensor in tensors]
    return math.prod(max(sizes) for sizes in zip_longest(*shapes, fillvalue=1))


def _written_argument(alias: Any, arguments: Any) -> str | None:
    if alias is None or not alias.is_write:
        return None
    known = [argument for argument in arguments if argument.alias_info is not None]
    same = (each.name for each in known if each.alias_info.before_set == alias.before_set)
    return next(same, None)
