"""Tensors that go from one device to another, and their gradients that go back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .torch_internals import META, is_gpu_device, is_plain_meta_device, plain_meta

if TYPE_CHECKING:
    from .gpu import SimGpu
    from .machine import Machine
    from .torch_internals import Arguments, Keywords

_Tensor = torch.Tensor


def to(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Serve `Tensor.to`: a GPU is "meta" below this line."""
    args, kwargs = _with_device(machine, args, kwargs)
    positional = len(args) > 1 and not isinstance(args[1], (torch.dtype, _Tensor))
    device = args[1] if positional else kwargs.get("device")
    if is_plain_meta_device(device) and machine.holds(args[0]):
        with plain_meta():
            shape, strides = args[0].size(), args[0].stride()
            asked = args[2] if positional and len(args) > 2 else kwargs.get("dtype")  # noqa: PLR2004 -- `to(device, dtype)`
            return torch.empty_strided(shape, strides, dtype=asked or args[0].dtype, device=META)
    if is_plain_meta_device(device):
        with plain_meta():
            return func(*args, **kwargs)
    if not is_gpu_device(device):
        return func(*args, **kwargs)
    gpu, home = machine.gpu_named(device), machine.gpu_of(args[0])
    _refuse_plain_meta(machine, args[0])
    there = META if home is gpu else gpu.meta  # C++ must see that the device stays the same
    if positional:
        args = (args[0], there, *args[2:])
    else:
        kwargs = {**kwargs, "device": there}
    result = func(*args, **kwargs)
    return result if home in (None, gpu) else _returning(result, home)


def _with_device(machine: Machine, args: Arguments, kwargs: Keywords) -> tuple[Arguments, Keywords]:
    """Write `x.to(other)` as `x.to(device, dtype)`: in C++ it would lose the GPU of `other`."""
    other = args[1] if len(args) > 1 else kwargs.get("tensor")
    if other is None or not machine.holds(other):
        return args, kwargs
    rest = {name: value for name, value in kwargs.items() if name != "tensor"}
    return (args[0], other.device, other.dtype, *args[2:]), rest


def _returning(copy: torch.Tensor, home: SimGpu | None) -> torch.Tensor:
    """Return `copy`, on another GPU, with a hook that moves its gradient back to `home`.

    PyTorch has device "meta" on both sides and would not move the gradient.
    """
    node = copy.grad_fn
    if node is not None and home is not None:
        device = home.device
        node.register_prehook(
            lambda gradients: tuple([None if g is None else g.to(device) for g in gradients])
        )
    return copy


def type_as(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Serve `Tensor.type_as`, which takes the device along."""
    other = args[1] if len(args) > 1 else kwargs["other"]
    if not machine.holds(args[0]) and not machine.holds(other):
        return func(*args, **kwargs)
    return to(machine, _Tensor.to, (args[0], other.device, other.dtype), {})


def copy(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Copy into a tensor of another GPU by a way that gradients can go back."""
    target, source = bind(("self", "src"), args, kwargs)
    if not isinstance(source, _Tensor):
        return func(*args, **kwargs)
    home, source_home = machine.gpu_of(target), machine.gpu_of(source)
    if home in (None, source_home) or source_home is None or not is_tracked(source):
        return func(*args, **kwargs)
    moved = to(machine, _Tensor.to, (source, home.device), {})
    return func(target, moved)


def is_tracked(tensor: torch.Tensor) -> bool:
    """Whether a gradient will come back for `tensor`."""
    return tensor.requires_grad and torch.is_grad_enabled()


def cuda(machine: Machine, _func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Serve `Tensor.cuda`: without a device it is the current GPU."""
    device = args[1] if len(args) > 1 else kwargs.get("device")
    keep = {"memory_format": kwargs["memory_format"]} if "memory_format" in kwargs else {}
    return to(machine, _Tensor.to, (args[0], "cuda" if device is None else device), keep)


def _refuse_plain_meta(machine: Machine, tensor: torch.Tensor) -> None:
    if tensor.is_meta and not machine.holds(tensor):
        raise NotImplementedError(
            "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() "
            "instead of torch.nn.Module.to() when moving module from meta to a different device."
        )


def bind(names: tuple[str, ...], args: Arguments, kwargs: Keywords) -> tuple[Any, ...]:
    """Return the arguments of these names, positional or not; None for what was left out."""
    return (*args[: len(names)], *(kwargs.get(name) for name in names[len(args) :]))
