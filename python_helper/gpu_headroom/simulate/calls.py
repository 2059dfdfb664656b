"""Calls of PyTorch's Python functions, where they name the card or would miss it.

Most calls need nothing: they reach the dispatcher, and `card.py` takes it from there. Here are
those that PyTorch's C++ side would refuse, or answer for device "meta", before that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from .torch_internals import (
    CARD,
    CPU,
    META,
    check_ordinal,
    is_card_device,
    is_plain_meta_device,
    map_tensors,
    plain_meta,
    without_torch_function,
)
from .tracebacks import without_own_frames

if TYPE_CHECKING:
    from collections.abc import Callable

    from .autocast import Autocast
    from .card import Card

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]

_Tensor = torch.Tensor


class CallMode(TorchFunctionMode):
    """Sees every call of a PyTorch function on its thread."""

    def __init__(self, card: Card, autocast: Autocast, pinned: Any) -> None:
        super().__init__()
        self._card = card
        self._autocast = autocast
        self._pinned = pinned

    def __torch_function__(
        self, func: Any, types: Any, args: Arguments = (), kwargs: Any = None
    ) -> Any:
        """Run one call, with the card's name put in terms that this build of PyTorch takes."""
        __tracebackhide__ = True
        if func in _UNTOUCHED or not self._card.present:
            return func(*args, **(kwargs or {}))
        try:
            return self._call(func, args, kwargs or {})
        except torch.OutOfMemoryError as error:
            # A frame of ours must not keep a tensor alive that a real card would have let go.
            args, kwargs = (), None
            raise without_own_frames(error)  # noqa: B904 -- it is the same error

    @property
    def computes_values(self) -> bool:
        """Whether tensors on the card have values."""
        return self._card.compute.has_values

    def holds(self, value: Any) -> bool:
        """Whether `value` is a tensor on the card."""
        return isinstance(value, _Tensor) and self._card.holds(value)

    def pin(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a copy of a host tensor that counts as pinned."""
        if self.is_pinned(tensor):
            return tensor
        copy = tensor.clone()
        self._pinned.add(copy.untyped_storage())
        return copy

    def is_pinned(self, tensor: torch.Tensor) -> bool:
        """Whether the host tensor counts as pinned."""
        with without_torch_function():
            return tensor.layout is torch.strided and tensor.untyped_storage() in self._pinned

    def _call(self, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        if torch.is_autocast_enabled("cuda"):
            args, kwargs = self._autocast.cast(func, args, kwargs)
        special = _SPECIAL.get(func)
        if special is not None:
            return special(self, func, args, kwargs)
        pinned = kwargs.get("pin_memory") is True
        if pinned:
            kwargs = {**kwargs, "pin_memory": False}
        result = call_on(func, args, kwargs) if "device" in kwargs else func(*args, **kwargs)
        return self.pin(result) if pinned else result


def call_on(func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Call `func` with the device of `kwargs`: the card is "meta" below this line."""
    device = kwargs["device"]
    if is_card_device(device):
        check_ordinal(device)
        return func(*args, **{**kwargs, "device": META})
    if is_plain_meta_device(device):
        with plain_meta():
            return func(*args, **kwargs)
    return func(*args, **kwargs)


def _to(mode: CallMode, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    positional = len(args) > 1 and not isinstance(args[1], (torch.dtype, _Tensor))
    device = args[1] if positional else kwargs.get("device")
    if is_plain_meta_device(device) and mode.holds(args[0]):
        with plain_meta():
            shape, strides, dtype = args[0].size(), args[0].stride(), args[0].dtype
            return torch.empty_strided(shape, strides, dtype=dtype, device=META)
    if is_card_device(device):
        check_ordinal(device)
        _refuse_plain_meta(mode, args[0])
        device = META
    if positional:
        args = (args[0], device, *args[2:])
    elif device is not None:
        kwargs = {**kwargs, "device": device}
    if is_plain_meta_device(device) and device is not META:
        with plain_meta():
            return func(*args, **kwargs)
    return func(*args, **kwargs)


def _cuda(mode: CallMode, _func: Any, args: Arguments, kwargs: Keywords) -> Any:
    device = args[1] if len(args) > 1 else kwargs.get("device")
    keep = {"memory_format": kwargs["memory_format"]} if "memory_format" in kwargs else {}
    return _to(mode, _Tensor.to, (args[0], CARD if device is None else device), keep)


def _refuse_plain_meta(mode: CallMode, tensor: torch.Tensor) -> None:
    if tensor.is_meta and not mode.holds(tensor):
        raise NotImplementedError(
            "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() "
            "instead of torch.nn.Module.to() when moving module from meta to a different device."
        )


def _device(_mode: CallMode, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`torch.device(0)` asks which accelerator this build has."""
    if len(args) == 1 and type(args[0]) is int:
        return torch.device("cuda", args[0])
    return func(*args, **kwargs)


def _from_data(mode: CallMode, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Make a tensor of Python values: on "meta" they would be lost, so they come by the host."""
    data = args[0] if args else kwargs.get("data")
    device = kwargs.get("device", _default_device())
    if isinstance(data, _Tensor) or not is_card_device(device):
        values = data if isinstance(data, _Tensor) else _on_host(mode, data)
        args = (values, *args[1:]) if args else args
        return call_on(func, args, kwargs) if "device" in kwargs else func(*args, **kwargs)
    check_ordinal(device)
    kwargs = {name: value for name, value in kwargs.items() if name != "data"}
    requires_grad = kwargs.pop("requires_grad", False)
    on_host = func(_on_host(mode, data), *args[1:], **{**kwargs, "device": CPU})
    tensor: torch.Tensor = on_host.to(META)
    return tensor.requires_grad_() if requires_grad else tensor


def _new_tensor(mode: CallMode, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    device = kwargs.get("device", CARD if mode.holds(args[0]) else None)
    if not is_card_device(device):
        return func(*args, **kwargs)
    data = kwargs["data"] if "data" in kwargs else args[1]
    keep = {"dtype": kwargs.get("dtype") or args[0].dtype, "device": device}
    if "requires_grad" in kwargs:
        keep["requires_grad"] = kwargs["requires_grad"]
    return _from_data(mode, torch.tensor, (data,), keep)


def _on_host(mode: CallMode, data: Any) -> Any:
    """Read the tensors on the card that lie in lists: C++ would read their memory."""
    return map_tensors(lambda t: t.tolist() if mode.holds(t) else t, data)


def _default_device() -> Any:
    context = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)  # noqa: SLF001 -- `get_default_device` asks the accelerator
    return None if context is None else context.device


def _index(mode: CallMode, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Turn lists and arrays among the indices into host tensors: on "meta" they lose values."""
    if not mode.holds(args[0]):
        return func(*args, **kwargs)
    index = args[1]
    parts = index if isinstance(index, tuple) else (index,)
    if any(_is_index_array(part) for part in parts):
        parts = tuple(torch.as_tensor(p) if _is_index_array(p) else p for p in parts)
        args = (args[0], parts if isinstance(index, tuple) else parts[0], *args[2:])
    return func(*args, **kwargs)


def _is_index_array(part: Any) -> bool:
    if isinstance(part, list):
        return all(isinstance(item, (int, list)) for item in part)
    return type(part).__module__ == "numpy" and getattr(part, "ndim", 0) > 0


def _pin_memory(mode: CallMode, _func: Any, args: Arguments, _kwargs: Keywords) -> Any:
    if mode.holds(args[0]):
        raise RuntimeError(f"cannot pin '{args[0].type()}' only dense CPU tensors can be pinned")
    return mode.pin(args[0])


def _is_pinned(mode: CallMode, _func: Any, args: Arguments, _kwargs: Keywords) -> Any:
    return mode.is_pinned(args[0])


def _numpy(mode: CallMode, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    if mode.holds(args[0]):
        raise TypeError(
            "can't convert cuda:0 device type tensor to numpy. "
            "Use Tensor.cpu() to copy the tensor to host memory first."
        )
    return func(*args, **kwargs)


def _type(mode: CallMode, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Speak of `torch.cuda.FloatTensor` and its kin."""
    name = args[1] if len(args) > 1 else kwargs.get("dtype")
    if isinstance(name, str) and name.startswith("torch.cuda."):
        dtype = func(torch.empty(0), name.replace("torch.cuda.", "torch.")).dtype
        return _cuda(mode, func, (args[0].to(dtype),), {})
    if name is None and mode.holds(args[0]):
        return str(torch.empty(0, dtype=args[0].dtype).type()).replace("torch.", "torch.cuda.")
    return func(*args, **kwargs)


def _dropout(mode: CallMode, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Keep a mask of one byte for each element, as the card's fused kernel does."""
    tensor, p, train = _bind(("input", "p", "train"), args, kwargs)
    if train and 0 < p < 1 and mode.holds(tensor):
        return torch.native_dropout(tensor, p, True)[0]
    return func(*args, **kwargs)


def _attention(mode: CallMode, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Attend without storing the matrix of scores, as the card's fused kernels do.

    With values, attention with dropout has no fused kernel on the host and stores the matrix.
    """
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
    query, key, value, mask, dropout_p, is_causal = _bind(names, args, kwargs)
    drops = dropout_p is not None and dropout_p > 0
    fused = (
        mode.holds(query)
        and query.dim() == key.dim() == value.dim() == 4  # noqa: PLR2004 -- batch, heads, length, width
        and query.shape[-1] == value.shape[-1]
        and query.shape[1] == key.shape[1]
        and not kwargs.get("enable_gqa")
        and not (drops and mode.computes_values)
        and (mask is None or not mask.requires_grad)
    )
    if not fused:
        return func(*args, **kwargs)
    if mask is not None and mask.dtype is torch.bool:
        mask = torch.zeros_like(mask, dtype=query.dtype).masked_fill_(~mask, float("-inf"))
    kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu  # noqa: SLF001 -- no public name
    return kernel(
        query, key, value, 0.0, bool(is_causal), attn_mask=mask, scale=kwargs.get("scale")
    )[0]


def _bind(names: tuple[str, ...], args: Arguments, kwargs: Keywords) -> tuple[Any, ...]:
    return (*args[: len(names)], *(kwargs.get(name) for name in names[len(args) :]))


_SPECIAL: dict[Any, Callable[[CallMode, Any, Arguments, Keywords], Any]] = {
    _Tensor.to: _to,
    _Tensor.cuda: _cuda,
    torch.device: _device,
    torch.tensor: _from_data,
    torch.as_tensor: _from_data,
    torch.asarray: _from_data,
    _Tensor.new_tensor: _new_tensor,
    _Tensor.__getitem__: _index,
    _Tensor.__setitem__: _index,
    _Tensor.pin_memory: _pin_memory,
    _Tensor.is_pinned: _is_pinned,
    _Tensor.numpy: _numpy,
    _Tensor.type: _type,
    torch.dropout: _dropout,
    torch.nn.functional.scaled_dot_product_attention: _attention,
}

_UNTOUCHED = {
    *(
        getattr(_Tensor, name).__get__
        for name in ("shape", "dtype", "requires_grad", "grad", "layout", "grad_fn", "is_leaf")
    ),
    _Tensor.dim,
    _Tensor.size,
    _Tensor.numel,
    _Tensor.stride,
    _Tensor.element_size,
    _Tensor.is_floating_point,
    _Tensor.untyped_storage,
}
