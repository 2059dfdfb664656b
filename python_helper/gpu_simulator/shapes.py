"""Computing without values (`compute="meta"`): every result has its size, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .scratch import MASKS
from .torch_internals import CPU, META, in_kernel, is_meta, map_tensors, tensors_in
from .tracebacks import asks_of_padding
from .unsupported import no_values
from .values import Values, charge_all, on_gpu, storage_of, written_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .gpu import SimGpu
    from .memory import Memory
    from .operations import Operation
    from .torch_internals import Arguments, Keywords


_ON_GPU = {"_scaled_dot_product_efficient_attention": 2}
"""Number of results of an operator that are on the GPU; the others are on the host."""


_SMALL = 2.0**-20
"""Value of an unknown number when code reads it: finite and not zero. So code can divide by a loss
or an accuracy and take its logarithm, and loops that wait for a small value end. Larger copies
have values from this to twice this: their mean, deviation and maximum can be divisors."""

_SOUND = {"all", "_is_all_true"}
"""Checks that are true for unknown values, so that the run continues, except for Transformers'
check for padding: without padding it drops the mask, but some batch has padding and needs more."""

_FINITE = "_amp_foreach_non_finite_check_and_unscale_"
"""Operator that looks for gradients that are not finite: none are found."""

MAX_NUMBERS = 8
"""Most numbers of the host that keep their values together: no shape of a batch has more."""

_MAX_DIFFERENT = 2**20
"""Most unknown numbers that get different values: more would take time for little use."""

_size_of = torch.Tensor.size
"""The original method, for the parameters of lazy layers, whose own method raises."""


class Shapes:
    """Runs PyTorch's `meta` kernels and charges their results.

    A few numbers from the host keep their values, and so do results computed from these alone: an
    optimizer's step count, in a checkpoint that is loaded to the GPU, and a shape that libraries
    gather from all GPUs before they join batches.
    """

    has_values = False

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._numbers = Values(memory)

    def run(
        self, operation: Operation, args: Arguments, kwargs: Keywords, gpu: SimGpu | None
    ) -> Any:
        """Return the result of an operation on `gpu`; off the GPUs (None), zeros."""
        if self._is_of_numbers(operation, args, kwargs):
            return self._numbers.run(operation, args, kwargs, gpu)
        self._forget_written(operation, args, kwargs)
        _check_types(operation, args)
        answer = _ANSWERS.get(operation.name)
        if answer is not None:
            result = answer(*args, **kwargs)
        elif gpu is None:
            result = _unknown(args[0], kwargs.get("dtype"), kwargs.get("memory_format"))
        else:
            result = self._run_kernel(operation, args, on_gpu(kwargs, META))
        if gpu is None or operation.mixes_devices:
            makes = not operation.makes_nothing
            self._as_unknown(result if makes else written_arguments(operation, args, kwargs))
        self._note_largest(operation, args, kwargs, result)
        if gpu is None:
            return result
        made = result[: _ON_GPU.get(operation.name)] if isinstance(result, tuple) else result
        charge_all(self._memory, made, gpu)
        if operation.may_resize:
            charge_all(self._memory, (args, tuple(kwargs.values())), gpu)
        if operation.name in _SOUND:
            self._tell(result, 0 if asks_of_padding() else 1)
        elif operation.name == _FINITE:
            self._tell(args[1], 0)
        return result

    def run_on_host(self, operation: Operation, args: Arguments, kwargs: Keywords) -> Any:
        """Return the result of an operation of the host: of unknown numbers it is unknown."""
        memory = self._memory
        tensors = tensors_in((*args, *kwargs.values()), [])
        if not any(map(memory.is_unknown, tensors)):
            return operation.func(*args, **kwargs)
        if _has_largest_size(operation, args, kwargs) and memory.is_unknown(_deciding(*args)):
            made = _ANSWERS[operation.name](*args, **kwargs)
            result = map_tensors(lambda t: torch.zeros(t.shape, dtype=t.dtype, device=CPU), made)
        else:
            result = operation.func(*args, **kwargs)
        self._note_largest(operation, args, kwargs, result)
        return self._as_unknown(result)

    def _note_largest(
        self, operation: Operation, args: Arguments, kwargs: Keywords, result: Any
    ) -> None:
        """Remember where a size is the largest that it can be."""
        if _has_largest_size(operation, args, kwargs):
            self._memory.note_largest(result, frozenset(tensors_in((result,), [])[0].shape[:1]))
        elif self._memory.largest and not operation.makes_nothing:
            self._memory.follow_largest(tensors_in((*args, *kwargs.values()), []), result)

    def _as_unknown(self, result: Any) -> Any:
        """Mark the values of host tensors as unknown."""
        for tensor in tensors_in((result,), []):
            if not is_meta(tensor) and tensor.layout is torch.strided:
                self._memory.unknown.add(tensor.untyped_storage())
        return result

    def _tell(self, tensor: torch.Tensor, value: int) -> None:
        """Set a few numbers to a value that was not computed."""
        allocation = self._memory.find(storage_of(tensor))
        count = 0 if allocation is None else allocation.nbytes // tensor.element_size()
        if allocation is not None and 0 < count <= MAX_NUMBERS:
            host = torch.full((count,), value, dtype=tensor.dtype, device=CPU)
            self._memory.bind(allocation, host.untyped_storage())

    def _is_of_numbers(self, operation: Operation, args: Arguments, kwargs: Keywords) -> bool:
        """Whether all tensors of a call are a few numbers whose values are known."""
        if operation.sized_by_argument or operation.is_random or operation.name == "empty_like":
            return False
        tensors = tensors_in((*args, *kwargs.values()), [])
        if not tensors or any(_size_of(tensor).numel() > MAX_NUMBERS for tensor in tensors):
            return False
        return all(map(self._is_known, tensors))

    def _is_known(self, tensor: torch.Tensor) -> bool:
        on_host = not is_meta(tensor)
        return (on_host or self._memory.holds(tensor)) and not self._memory.is_unknown(tensor)

    def _forget_written(self, operation: Operation, args: Arguments, kwargs: Keywords) -> None:
        """Forget the values of numbers that an operation writes whose other arguments have none."""
        for name in operation.written if self._memory.has_values else ():
            written = operation.argument(name, args, kwargs) if name else None
            for tensor in tensors_in((written,), []):
                if is_meta(tensor) and self._is_known(tensor):
                    self._memory.forget_values(tensor.untyped_storage())

    def _run_kernel(self, operation: Operation, args: Arguments, kwargs: Keywords) -> Any:
        try:
            with in_kernel():
                return operation.kernel(*args, **kwargs)
        except RuntimeError as error:
            if "device" in str(error) and any(map(_is_number_of_host, tensors_in(args, []))):
                # PyTorch's form is stricter here than CUDA.
                return self._run_kernel(operation, map_tensors(_number_on_gpu, args), kwargs)
            if not isinstance(error, NotImplementedError) and "meta tensor" not in str(error):
                raise
            # Several optimizers' kernels write in place and have no meta form; they need no memory.
            if None not in operation.written:
                return written_arguments(operation, args, kwargs)
            if operation.name.endswith("_backward") and operation.written == [None]:
                of = "self" if "self" in operation.arguments else "input"
                if of in operation.arguments:  # a gradient is like what it is of
                    with in_kernel():
                        return torch.empty_like(operation.argument(of, args, kwargs))
            raise no_values(f'the result of "{operation.name}"') from error


def _check_types(operation: Operation, args: Arguments) -> None:
    """Raise what PyTorch does where types do not go together, which its form "meta" leaves out."""
    name: str = operation.name
    first: Any = args[0] if args else None
    if name in _OF_FRACTIONS and not (first.is_floating_point() or first.is_complex()):
        kind = name if "_mean" in name else "std and var"
        raise RuntimeError(f"{kind} only support floating point and complex dtypes")
    if name in _SUBTRACTIONS:
        kinds = [each.dtype if isinstance(each, torch.Tensor) else type(each) for each in args[:2]]
        count = sum(kind in (bool, torch.bool) for kind in kinds)
        if count:
            raise RuntimeError(_NO_SUBTRACTION[count - 1])
    if name in _WRITTEN_OVER:
        made = torch.result_type(*args[:2])
        if not torch.can_cast(made, first.dtype):
            raise RuntimeError(
                f"result type {_type_name(made)} can't be cast to the desired output type "
                f"{_type_name(first.dtype)}"
            )


_OF_FRACTIONS = {"var", "std", "var_mean", "std_mean"}
_SUBTRACTIONS = {"sub", "sub_", "rsub"}
_NO_SUBTRACTION = (
    (
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
        "invert a mask, use the `~` or `logical_not()` operator instead."
    ),
    (
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
        "`logical_xor()` operator instead."
    ),
)
_WRITTEN_OVER = {"add_", "sub_", "mul_"}


def _type_name(dtype: torch.dtype) -> str:
    """Return what C++ calls a type."""
    return torch.empty(0, dtype=dtype, device=CPU).type().split(".")[-1].removesuffix("Tensor")


def _is_number_of_host(tensor: torch.Tensor) -> bool:
    return tensor.dim() == 0 and not is_meta(tensor)


def _number_on_gpu(tensor: torch.Tensor) -> torch.Tensor:
    return _empty(dtype=tensor.dtype) if _is_number_of_host(tensor) else tensor


def _unknown(
    tensor: torch.Tensor, dtype: torch.dtype | None = None, order: torch.memory_format | None = None
) -> torch.Tensor:
    """Return numbers on the host, like `tensor`, whose values are not known; whole ones are 0."""
    dtype, order = dtype or tensor.dtype, order or torch.preserve_format
    value = _SMALL if dtype.is_floating_point else 0
    result = torch.full_like(tensor, value, dtype=dtype, device=CPU, memory_format=order)
    if value and MAX_NUMBERS < result.numel() <= _MAX_DIFFERENT:
        different = torch.linspace(_SMALL, 2 * _SMALL, result.numel(), device=CPU)
        result.copy_(different.view(result.shape))
    return result


def _empty(*sizes: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.empty(sizes, dtype=dtype, device=META)


def _copy(target: torch.Tensor, source: Any, *_: Any) -> torch.Tensor:
    """Change nothing, where the source fits."""
    if isinstance(source, torch.Tensor) and source.shape != target.shape:
        with in_kernel():
            _empty(*source.shape, dtype=source.dtype).expand(target.shape)
    return target


def _index(tensor: torch.Tensor, indices: list[torch.Tensor | None]) -> torch.Tensor:
    """Take every element where a mask would choose: the most that it can be."""
    place = 0
    for index in indices:
        is_mask = index is not None and index.dtype in MASKS
        if index is not None and is_mask:
            _check_mask(index, tensor, place)
        place += index.dim() if index is not None and is_mask else 1
    mask = _mask(indices)
    with in_kernel():
        if mask is not None and mask.dim() > 1:
            return _empty(mask.numel(), *tensor.shape[mask.dim() :], dtype=tensor.dtype)
        chosen = [
            None
            if index is None
            else _empty(index.numel(), dtype=torch.long)
            if index.dtype in MASKS
            else index.to(META)
            for index in indices
        ]
        return torch.ops.aten.index.Tensor(tensor, chosen)  # type: ignore[no-any-return]  # operators are Any


def _check_mask(mask: torch.Tensor, tensor: torch.Tensor, place: int) -> None:
    for dim, size in enumerate(mask.shape, place):
        if dim >= tensor.dim() or tensor.shape[dim] != size:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {dim - place} does not match "
                f"the shape of the indexed tensor {list(tensor.shape)} at index {dim}"
            )


def _unique(
    tensor: torch.Tensor,
    sorted: bool = True,  # noqa: A002 -- as PyTorch passes them
    return_inverse: bool = False,
    return_counts: bool = False,
) -> tuple[torch.Tensor, ...]:
    """Take every element for different; places and counts are as many where they are asked for."""
    del sorted
    places = _empty(*(tensor.shape if return_inverse else (0,)), dtype=torch.long)
    counts = _empty(tensor.numel() if return_counts else 0, dtype=torch.long)
    return _empty(tensor.numel(), dtype=tensor.dtype), places, counts


def _unique_dim(
    tensor: torch.Tensor,
    dim: int,
    sorted: bool = True,  # noqa: A002 -- as above
    *asked: bool,
) -> tuple[torch.Tensor, ...]:
    """Take every slice along a dimension for different."""
    row = _empty(tensor.size(dim), dtype=torch.long)
    return _empty(*tensor.shape, dtype=tensor.dtype), *_unique(row, sorted, *asked)[1:]


# What depends on values: the largest result that is possible, or zero.
_ANSWERS: dict[str, Callable[..., Any]] = {
    "_local_scalar_dense": lambda tensor: _unknown(tensor).item(),
    "copy_": _copy,
    "equal": lambda tensor, other: tensor.shape == other.shape,
    "_sample_dirichlet": lambda tensor, *_: torch.empty_like(tensor, device=META),
    "nonzero": lambda tensor: _empty(tensor.numel(), tensor.dim(), dtype=torch.long),
    "masked_select": lambda tensor, _mask: _empty(tensor.numel(), dtype=tensor.dtype),
    "index": _index,
    "_unique2": _unique,
    "_unique": lambda *args: _unique(*args)[:2],
    "unique_dim": _unique_dim,
    "unique_consecutive": lambda tensor, *asked: _unique(tensor, True, *asked[:2]),
}
_OF_LARGEST_SIZE = {
    *("masked_select", "nonzero", "_unique", "_unique2", "unique_consecutive", "unique_dim"),
}


def _has_largest_size(operation: Operation, args: Arguments, kwargs: Keywords) -> bool:
    """Whether the size of a result depends on values."""
    if operation.name == "index":
        return _mask(operation.argument("indices", args, kwargs)) is not None
    return operation.name in _OF_LARGEST_SIZE


def _mask(indices: Iterable[torch.Tensor | None]) -> torch.Tensor | None:
    return next((i for i in indices if i is not None and i.dtype in MASKS), None)


def _deciding(tensor: torch.Tensor, chosen: Any = None, *_: Any) -> torch.Tensor:
    """Return the tensor among arguments whose values decide the size of the result."""
    if isinstance(chosen, (list, tuple)):
        chosen = _mask(chosen)
    return chosen if isinstance(chosen, torch.Tensor) else tensor
