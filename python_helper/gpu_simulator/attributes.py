"""Device attributes of tensors on a simulated GPU, and moves between devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.autograd
import torch.functional
import torch.nn.functional
from torch import _tensor_str
from torch.nn.parameter import UninitializedTensorMixin  # type: ignore[attr-defined]  # not in the stubs

from .memory import address_of
from .torch_internals import (
    CPU,
    is_meta,
    real_device,
    tensors_in,
    thread_state,
    without_torch_function,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .machine import Machine
    from .patches import Patches

_Tensor = torch.Tensor
_Parameter = torch.nn.Parameter
_data = torch._C.TensorBase.data  # noqa: SLF001 -- below the property that replaces it
_data_ptr = _Tensor.data_ptr
_group_tensors = torch._C._group_tensors_by_device_and_dtype  # noqa: SLF001 -- optimizers call it
_repr: Callable[..., str] = _Tensor.__repr__
_mode_count = torch._C._len_torch_function_stack  # noqa: SLF001 -- no public name
_sees_modes = torch._C._is_torch_function_mode_enabled  # noqa: SLF001 -- as above
_sees_subclasses = torch._C._is_torch_function_enabled  # noqa: SLF001 -- as above


def put_attributes(patches: Patches, machine: Machine) -> None:
    """Patch tensors on a GPU to report its device, such as "cuda:0"."""
    _put_device(patches, machine)
    _put_address(patches, machine)
    patches.put(_Tensor, "data", property(_data.__get__, _data_setter(machine)))  # type: ignore[attr-defined]  # a slot, which the stubs call a tensor
    patches.put(torch, "_has_compatible_shallow_copy_type", _may_set_data)
    patches.put(_Tensor, "__repr__", _repr_for(machine))
    for module in (torch._tensor, torch.functional, torch.nn.functional, torch.autograd):  # noqa: SLF001 -- where `torch.Tensor` is written
        _make_transparent(patches, module)


def _put_device(patches: Patches, machine: Machine) -> None:
    gpu_of = machine.memory.gpu_of

    def device(tensor: torch.Tensor) -> torch.device:
        with without_torch_function():
            gpu = None if thread_state.in_kernel else gpu_of(tensor)
            return real_device(tensor) if gpu is None else gpu.device

    def on_gpu(tensor: torch.Tensor) -> bool:
        with without_torch_function():
            return not thread_state.in_kernel and gpu_of(tensor) is not None

    def shows_meta(tensor: torch.Tensor) -> bool:
        with without_torch_function():
            return is_meta(tensor) and (thread_state.in_kernel or gpu_of(tensor) is None)

    def dlpack_device(tensor: torch.Tensor) -> tuple[int, int]:
        return (2, ordinal(tensor)) if on_gpu(tensor) else (1, 0)

    def ordinal(tensor: torch.Tensor) -> int:
        return device(tensor).index if on_gpu(tensor) else -1

    patches.put(_Tensor, "device", property(device))
    patches.put(_Tensor, "is_cuda", property(on_gpu))
    patches.put(_Tensor, "is_meta", property(shows_meta))
    # C++ refuses our streams before any mode could step in.
    patches.put(_Tensor, "record_stream", lambda _tensor, _stream: None)
    patches.put(_Tensor, "get_device", ordinal)
    patches.put(torch._C, "_group_tensors_by_device_and_dtype", _grouping_for(machine))  # noqa: SLF001 -- optimizers call it
    patches.put(_Tensor, "__dlpack_device__", dlpack_device)


def _grouping_for(machine: Machine) -> Callable[..., Any]:
    """Return the grouping function of optimizers; it moves tensors to the given devices."""

    def group(tensors: Any, with_indices: bool = False) -> Any:
        groups: dict[Any, Any] = {}
        for (device, dtype), (columns, indices) in _group_tensors(tensors, with_indices).items():
            for place, rows in _rows_by_device(machine, columns, device).items():
                picked = [_pick(column, rows) for column in columns]
                groups[place, dtype] = (picked, _pick(indices, rows))
        return groups

    return group


def _rows_by_device(machine: Machine, columns: Any, device: Any) -> dict[Any, list[int]]:
    """Return which rows of a group are on which device; the first column that is there decides."""
    places: dict[Any, list[int]] = {}
    if not machine.has_several and device.type != "meta":
        return {device: list(range(max(map(len, columns))))}
    for row, tensors in enumerate(zip(*filter(None, columns), strict=True)):
        gpu = next(filter(None, map(machine.gpu_of, tensors_in(tensors, []))), None)
        places.setdefault(device if gpu is None else gpu.device, []).append(row)
    return places


def _pick(column: Any, rows: list[int]) -> list[Any]:
    return [column[row] for row in rows] if column else []


def _put_address(patches: Patches, machine: Machine) -> None:
    """On "meta" every address is 0, and libraries take that for weights that are shared."""

    def data_ptr(tensor: torch.Tensor) -> int:
        with without_torch_function():
            if not machine.memory.holds(tensor):
                return _data_ptr(tensor)
            start = address_of(machine.memory, tensor.untyped_storage())
            return start + int(tensor.storage_offset()) * tensor.element_size()

    patches.put(_Tensor, "data_ptr", data_ptr)


def _data_setter(machine: Machine) -> Callable[[torch.Tensor, torch.Tensor], None]:
    def set_data(tensor: torch.Tensor, value: torch.Tensor) -> None:
        """Set `tensor.data`, across devices too, keeping the Python object that optimizers know."""
        with without_torch_function():
            if is_meta(tensor) == is_meta(value):
                _data.__set__(tensor, value)  # type: ignore[attr-defined]  # as above
                return
            gpu = machine.gpu_of(value)
            grad = tensor.grad
            _move(tensor, value)
            if grad is not None:
                _move(grad, grad.to(CPU if gpu is None else gpu.meta))
                tensor.grad = grad

    return set_data


def _move(tensor: torch.Tensor, value: torch.Tensor) -> None:
    """Make the Python object `tensor` equal to `value`: "meta" and host tensors share no type."""
    torch._C._swap_tensor_impl(tensor, value.detach().requires_grad_(tensor.requires_grad))  # noqa: SLF001 -- no public name


def _may_set_data(tensor: torch.Tensor, value: torch.Tensor) -> bool:
    """Whether `Module.to` may set `.data` from the host to the GPU and back, as on CUDA."""
    return isinstance(tensor, UninitializedTensorMixin) or not (
        _overrides(tensor) or _overrides(value)
    )


def _repr_for(machine: Machine) -> Callable[..., str]:
    """Return `Tensor.__repr__` for the GPUs; PyTorch's own switches our modes off."""

    def represent(tensor: torch.Tensor, *, tensor_contents: Any = None) -> str:
        gpu = machine.gpu_of(tensor)
        if gpu is None:
            return _repr(tensor, tensor_contents=tensor_contents)
        has_values = machine.compute.has_values
        is_plain = type(tensor) in (_Tensor, _Parameter)
        start = "tensor(" if is_plain else f"{type(tensor).__name__}("
        with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():  # noqa: SLF001 -- as PyTorch does
            contents = _contents(tensor, len(start)) if has_values else _without_contents(tensor)
        return f"{start}{', '.join([contents, *_suffixes(tensor, has_values=has_values)])})"

    return represent


def _contents(tensor: torch.Tensor, indent: int) -> str:
    text: str = _tensor_str._tensor_str(tensor.detach(), indent=indent)  # noqa: SLF001 -- the part of `repr` that has no device
    return text


def _without_contents(tensor: torch.Tensor) -> str:
    """Take what PyTorch 2.13 does on the GPU to find how wide the numbers are."""
    whole = tensor.numel() <= _tensor_str.PRINT_OPTS.threshold
    shown = (tensor if whole else _tensor_str.get_summarized_data(tensor)).reshape(-1)
    if shown.is_floating_point() and shown.numel():
        sizes = shown.masked_select(shown.isfinite() & shown.ne(0)).abs().double()
        sizes.min(), sizes.max()
    return "..."


def _suffixes(tensor: torch.Tensor, *, has_values: bool) -> list[str]:
    suffixes = [f"device='{tensor.device}'"]
    is_empty = tensor.numel() == 0
    if not has_values or (is_empty and tensor.dim() != 1):
        suffixes.append(f"size={tuple(tensor.shape)}")
    default = torch.get_default_dtype()
    evident = (default,) if is_empty else (default, default.to_complex(), torch.int64, torch.bool)
    if tensor.dtype not in evident:
        suffixes.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{tensor.grad_fn.name().rpartition('::')[2]}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return suffixes


def _make_transparent(patches: Patches, module: Any) -> None:
    """Run PyTorch's Python functions as written, so that the function mode gets inner calls.

    Otherwise the mode would get the whole function, and be off inside of it: `device=x.device`,
    autocast and backward hooks in there would not use the GPU.
    """

    def any_overridden(*values: Any) -> bool:
        other_modes = _mode_count() > 1 and _sees_modes()
        return other_modes or (any(map(_overrides, values)) and _sees_subclasses())

    stand_ins = {
        "has_torch_function": lambda values: any_overridden(*values),
        "has_torch_function_unary": any_overridden,
        "has_torch_function_variadic": any_overridden,
    }
    for name, stand_in in stand_ins.items():
        if name in vars(module):
            patches.put(module, name, stand_in)


def _overrides(value: Any) -> bool:
    kind = type(value)
    if kind is _Tensor or kind is _Parameter:
        return False
    override = getattr(kind, "__torch_function__", None)
    return override is not None and override is not torch._C._disabled_torch_function_impl  # noqa: SLF001 -- as above
