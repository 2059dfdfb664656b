"""Check of numbers that decide a size: an unknown one is refused.

Which arguments do is read from the schemas of PyTorch's operators, by their names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from .torch_internals import without_torch_function
from .unknown import KINDS
from .unsupported import no_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from .torch_internals import Arguments, Keywords
    from .tracebacks import PersonLine

_SIZES = frozenset(
    (
        *("N", "bins", "chunks", "dilation", "downscale_factor", "hop_length", "indices"),
        *("kernel_size", "length", "m", "minlength", "n", "n_fft", "num_classes", "num_samples"),
        *("output_padding", "output_size", "pad", "padding", "repeats", "s", "scale_factors"),
        *("sections", "shape", "size", "sizes", "split_size", "split_sizes", "steps", "stride"),
        *("storage_offset", "tensor_indices_or_sections", "upscale_factor", "window_length"),
    )
)
"""Names of arguments that sizes follow from."""
_SIZES_OF = {
    "dims": ("tile",),
    "start": ("arange", "range"),
    "end": ("arange", "range"),
    "step": ("arange", "range", "unfold"),
    "k": ("topk",),
    "diagonal": ("diag",),
    "offset": ("diagonal", "diag_embed", "diagflat", "tril_indices", "triu_indices"),
    "row": ("tril_indices", "triu_indices"),
    "col": ("tril_indices", "triu_indices"),
    "r": ("combinations",),
}
"""Names that mean a size in some operators only."""
_IN_TENSORS = ("repeats", "tensor_indices_or_sections")
_PLACES: tuple[Any, ...] = (
    torch._C._VariableFunctions,  # noqa: SLF001 -- where PyTorch has its functions
    torch._C._nn,  # noqa: SLF001 -- as above
    *(getattr(torch._C, name) for name in ("_fft", "_linalg", "_special")),  # noqa: SLF001 -- as above
    torch.Tensor,
)


class _Overload(NamedTuple):
    """The names of the arguments that a call may give by position, and which of all are sizes."""

    names: tuple[str, ...]
    sizes: frozenset[str]
    ends_in_list: bool

    def has_size(self, args: Arguments, position: int) -> bool:
        """Whether the argument at a position of a call is one."""
        last = len(self.names) - 1
        if len(args) > len(self.names):  # as in `x.view(2, 3)`
            rest = args[last:]
            if not self.ends_in_list or any(isinstance(each, (list, tuple)) for each in rest):
                return False
        return self.names[min(position, last)] in self.sizes


def sized_functions() -> dict[Any, list[_Overload]]:
    """Return the functions of PyTorch that take sizes, with their overloads."""
    overloads: dict[str, list[_Overload]] = {}
    for schema in torch._C._jit_get_all_schemas():  # noqa: SLF001 -- no public name
        namespace, _, name = schema.name.partition("::")
        if namespace == "aten" and "Tensor" in str(schema):
            overloads.setdefault(name, []).append(_overload(name, schema.arguments))
    return {
        function: each
        for name, each in overloads.items()
        if any(one.sizes for one in each)
        for function in [getattr(place, name, None) for place in _PLACES]
        if callable(function)
    }


def _overload(operator: str, arguments: Any) -> _Overload:
    kinds = {each.name: str(each.type) for each in arguments}
    sizes = {
        name
        for name, kind in kinds.items()
        if (name in _SIZES or operator in _SIZES_OF.get(name, ()))
        and ("Tensor" not in kind or name in _IN_TENSORS)
    }
    names = tuple([each.name for each in arguments if not each.kwarg_only])
    return _Overload(names, frozenset(sizes), bool(names) and kinds[names[-1]] == "List[int]")


def refuse_unknown_size(
    overloads: list[_Overload],
    args: Arguments,
    kwargs: Keywords,
    is_unknown: Callable[[torch.Tensor], bool],
) -> None:
    """Raise where a call has a size that is not known, or a tensor that C++ would read it from."""
    for position, value in enumerate(args):
        if type(value) is not int and (position or not _is_self(value)):
            found = _unknown(value, is_unknown)
            if found and any(each.names and each.has_size(args, position) for each in overloads):
                raise no_size(found[0])
    for name, value in kwargs.items():
        if any(name in each.sizes for each in overloads):
            found = _unknown(value, is_unknown)
            if found:
                raise no_size(found[0])


def no_size(value: Any) -> NotImplementedError:
    """Return the error for a size that is `value`, an unknown number or a tensor."""
    read: PersonLine | None = value.origin.line if type(value) in KINDS else None
    return no_values("a size", read)


def _is_self(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dim() > 0


def _unknown(value: Any, is_unknown: Callable[[torch.Tensor], bool]) -> list[Any]:
    """Return the unknown numbers in an argument, and tensors that have some."""
    if type(value) in KINDS:
        return [value]
    if isinstance(value, (list, tuple)):
        return [each for item in value for each in _unknown(item, is_unknown)]
    if isinstance(value, torch.Tensor) and value.dim() < 2:  # noqa: PLR2004 -- sizes are no matrix
        with without_torch_function():
            if not value.is_floating_point() and is_unknown(value):
                return [value]
    return []


def known_slice(part: Any, is_unknown: Callable[[torch.Tensor], bool]) -> Any:
    """Return an index whose size is known: the largest that a slice can have.

    Raise where both ends are unknown, unless they are a known number apart.
    """
    if type(part) is not slice:
        return part
    start, stop, step = part.start, part.stop, part.step
    unknown = [bool(_unknown(each, is_unknown)) for each in (start, stop, step)]
    if not any(unknown):
        return part
    step = None if unknown[2] else step
    if not unknown[1]:
        return slice(None, stop, step)
    if not unknown[0]:
        return slice(start, None, step)
    if type(start) in KINDS and type(stop) in KINDS and start.origin.point is stop.origin.point:
        return slice(0, max(int(stop) - int(start), 0), step)
    raise no_size(stop)
