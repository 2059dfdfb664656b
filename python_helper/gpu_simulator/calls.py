"""Calls of PyTorch's Python functions, where they name a GPU or would miss it.

Most calls need nothing: they reach the dispatcher, and `execution.py` takes it from there. Here are
those that PyTorch's C++ side would refuse, or answer for device "meta", before that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from . import indexing, moves, recurrent, unknown
from .attention import Attention
from .fused import RootMeanSquareNormalisation
from .sizing import refuse_unknown_size, sized_functions
from .torch_internals import (
    CPU,
    is_gpu_device,
    is_plain_meta_device,
    map_tensors,
    plain_meta,
    tensors_in,
    thread_state,
    without_torch_function,
)
from .tracebacks import asserted, without_own_frames
from .unsupported import no_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from .autocast import Autocast
    from .machine import Machine
    from .torch_internals import Arguments, Keywords

_Tensor = torch.Tensor
_native: Any = torch._C._nn  # noqa: SLF001 -- what `torch.nn.functional` calls
_cross_entropy = _native.cross_entropy_loss
_NO_OPTIONS: tuple[Any, ...] = (None, 1, -100, 0.0)
"""Weight, reduction, class to ignore and smoothing of a loss where they are not given."""


class CallMode(TorchFunctionMode):
    """Sees every call of a PyTorch function on its thread."""

    def __init__(self, machine: Machine, autocast: Autocast) -> None:
        super().__init__()
        self._machine = machine
        self._autocast = autocast

    def __torch_function__(
        self, func: Any, types: Any, args: Arguments = (), kwargs: Any = None
    ) -> Any:
        """Run one call, with a GPU's name put in terms that this build of PyTorch takes."""
        __tracebackhide__ = True
        if func in _UNTOUCHED or not self._machine.present:
            return func(*args, **(kwargs or {}))
        try:
            return self._call(func, args, kwargs or {})
        except torch.OutOfMemoryError as error:
            # A frame of ours must not keep a tensor alive that a real GPU would have let go.
            args, kwargs = (), None
            raise without_own_frames(error)  # noqa: B904 -- it is the same error
        except (RuntimeError, ValueError, IndexError) as error:
            if isinstance(error, NotImplementedError) or not _may_be_smaller(
                self._machine, args, kwargs
            ):
                raise
            raise no_values("sizes that fit each other", error=error) from error
        except Exception:
            raise
        except BaseException:
            thread_state.reset()
            raise

    def _call(self, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        machine = self._machine
        if torch.is_autocast_enabled("cuda"):
            if func in recurrent.LAYERS:
                return recurrent.LAYERS[func](machine, func, args, kwargs, within=self)
            if func is _cross_entropy and machine.holds(args[0]):
                return self._cross_entropy(*args, **kwargs)
            args, kwargs = self._autocast.cast(func, args, kwargs)
        special = _SPECIAL.get(func, _plainly)
        return special(machine, func, args, kwargs)

    def _cross_entropy(self, logits: torch.Tensor, target: torch.Tensor, *options: Any) -> Any:
        """Compute the loss of classes: logarithms stay in the type of the logits, and are kept."""
        *rest, smoothing = (*options, *_NO_OPTIONS[len(options) :])
        if smoothing or target.shape == logits.shape:
            args, kwargs = self._autocast.cast(_cross_entropy, (logits, target, *options), {})
            return _cross_entropy(*args, **kwargs)
        with self:
            logarithms = torch.log_softmax(logits, min(logits.dim() - 1, 1), dtype=logits.dtype)
            return _native.nll_loss_nd(logarithms, target, *rest)


def _plainly(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Call `func` with nothing of its own to be done."""
    if machine.has_several:
        # What C++ makes on the way to the result lies on the GPU of the arguments.
        gpu = next(filter(None, map(machine.gpu_of, tensors_in(args, []))), None)
        if gpu is not None:
            machine.thread.near = gpu.device.index
    pinned = kwargs.get("pin_memory") is True
    if pinned:
        kwargs = {**kwargs, "pin_memory": False}
    result = _call_on(machine, func, args, kwargs)
    return machine.pin(result) if pinned else result


def _may_be_smaller(machine: Machine, args: Arguments, kwargs: Any) -> bool:
    """Whether a size in a call depends on values, and is the largest that it can be."""
    tensors = tensors_in((args, tuple((kwargs or {}).values())), [])
    with without_torch_function():
        return bool(machine.memory.largest) and any(map(machine.memory.has_largest_size, tensors))


def _sized(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Call a function that takes sizes, none of which may be a guess."""
    if not machine.compute.has_values:
        refuse_unknown_size(_SIZED[func], args, kwargs, machine.is_unknown)
    return _plainly(machine, func, args, kwargs)


def _read(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Give out numbers, which are unknown where the tensor's values are."""
    value = func(*args, **kwargs)
    return unknown.read(value) if machine.is_unknown(args[0]) else value


def _holds(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Return a truth value; an unknown one is as an `assert` around the call needs it."""
    value = func(*args, **kwargs)
    needed = asserted() if machine.is_unknown(args[0]) else None
    return value if needed is None else needed


def _call_on(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Call `func` with the device of `kwargs`, if any: a GPU is "meta" below this line."""
    device = kwargs.get("device")
    if is_gpu_device(device):
        kwargs = {**kwargs, "device": machine.gpu_named(device).meta}
    elif is_plain_meta_device(device):
        with plain_meta():
            return func(*args, **kwargs)
    return func(*args, **kwargs)


def _device(_machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`torch.device(0)` asks which accelerator this build has."""
    if len(args) == 1 and type(args[0]) is int:
        return torch.device("cuda", args[0])
    return func(*args, **kwargs)


def _from_data(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Make a tensor of Python values: on "meta" they would be lost, so they come by the host."""
    data = args[0] if args else kwargs.get("data")
    device = kwargs.get("device", _default_device())
    if unknown.unknown_in((data,)) is not None:
        return _from_unknown(machine, func, args, kwargs)
    if isinstance(data, _Tensor) or not is_gpu_device(device):
        values = data if isinstance(data, _Tensor) else _on_host(machine, data)
        args = (values, *args[1:]) if args else args
        return _call_on(machine, func, args, kwargs)
    gpu = machine.gpu_named(device)
    kwargs = {name: value for name, value in kwargs.items() if name != "data"}
    requires_grad = kwargs.pop("requires_grad", False)
    on_host = func(_on_host(machine, data), *args[1:], **{**kwargs, "device": CPU})
    tensor: torch.Tensor = on_host.to(gpu.meta)
    return tensor.requires_grad_() if requires_grad else tensor


def _from_unknown(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Make a tensor of Python numbers of which one is unknown, and so are those of the tensor."""
    with torch.device(CPU):
        made = func(*args, **{**kwargs, "device": CPU})
    machine.memory.unknown.add(made.untyped_storage())
    device = kwargs.get("device", _default_device())
    if device is None:
        return made
    moved = moves.to(machine, _Tensor.to, (made.detach(), device), {})
    return moved.requires_grad_(made.requires_grad)


def _new_tensor(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    home = machine.gpu_of(args[0])
    device = kwargs.get("device", None if home is None else home.device)
    if not is_gpu_device(device):
        return func(*args, **kwargs)
    data = kwargs["data"] if "data" in kwargs else args[1]
    keep = {"dtype": kwargs.get("dtype") or args[0].dtype, "device": device}
    if "requires_grad" in kwargs:
        keep["requires_grad"] = kwargs["requires_grad"]
    return _from_data(machine, torch.tensor, (data,), keep)


def _on_host(machine: Machine, data: Any) -> Any:
    """Read the tensors on the GPU that lie in lists: C++ would read their memory."""
    return map_tensors(lambda t: t.tolist() if machine.holds(t) else t, data)


def _default_device() -> Any:
    context = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)  # noqa: SLF001 -- `get_default_device` asks the accelerator
    return None if context is None else context.device


def _pin_memory(machine: Machine, _func: Any, args: Arguments, _kwargs: Keywords) -> Any:
    if machine.holds(args[0]):
        kind = _type(machine, _Tensor.type, args[:1], {})
        raise RuntimeError(f"cannot pin '{kind}' only dense CPU tensors can be pinned")
    return machine.pin(args[0])


def _numpy(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    gpu = machine.gpu_of(args[0])
    if gpu is not None and kwargs.get("force"):
        return args[0].detach().cpu().resolve_conj().resolve_neg().numpy()
    if gpu is not None:
        raise TypeError(
            f"can't convert {gpu.device} device type tensor to numpy. "
            "Use Tensor.cpu() to copy the tensor to host memory first."
        )
    return func(*args, **kwargs)


def _type(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Name the type of a tensor on a GPU as one of `torch.cuda`."""
    result = func(*args, **kwargs)
    is_name = isinstance(result, str) and machine.holds(args[0])
    return result.replace("torch.meta.", "torch.cuda.") if is_name else result


def _dropout(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Keep a mask of one byte for each element, as the GPU's fused kernel does."""
    tensor, p, train = moves.bind(("input", "p", "train"), args, kwargs)
    if train and 0 < p < 1 and machine.holds(tensor):
        return torch.native_dropout(tensor, p, True)[0]
    return func(*args, **kwargs)


def _one_hot(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Write ones among zeros; for device "meta" C++ compares each class with all."""
    classes, count = moves.bind(("tensor", "num_classes"), args, kwargs)
    if machine.is_unknown(classes) and (count is None or (type(count) is int and count < 0)):
        raise no_values("how many classes there are")
    if count is None or not machine.holds(classes) or isinstance(count, _Tensor) or count < 0:
        return _sized(machine, func, args, kwargs)
    refuse_unknown_size(_SIZED[func], args, kwargs, machine.is_unknown)
    zeros = classes.new_zeros((*classes.shape, count))
    return zeros.scatter_(-1, classes.unsqueeze(-1), 1)


def _pack(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Pack sequences; those whose lengths are not known are as long as they can be."""
    tensor, lengths, batch_first = moves.bind(("input", "lengths", "batch_first"), args, kwargs)
    home = machine.gpu_of(lengths)
    if home is not None:
        raise RuntimeError(
            "'lengths' argument should be a 1D CPU int64 tensor, but got "
            f"{lengths.dim()}D {home.device} tensor"
        )
    if not machine.is_unknown(lengths):
        return func(*args, **kwargs)
    longest = tensor.shape[1 if batch_first else 0]
    result = func(tensor, torch.full(lengths.shape, longest, device=CPU), batch_first)
    with without_torch_function():
        machine.memory.note_largest(result, frozenset((longest, len(result[0]))))
    return result


def _unpack(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Unpack sequences, which are as long as they were packed."""
    result = func(*args, **kwargs)
    with without_torch_function():
        machine.memory.follow_largest(tensors_in(args, []), result)
    return result


def _attention(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Attend without storing the matrix of scores, as the GPU's fused kernels do.

    With values, attention with dropout has no fused kernel on the host and stores the matrix.
    """
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
    query, key, value, mask, dropout_p, is_causal = moves.bind(names, args, kwargs)
    drops = dropout_p is not None and dropout_p > 0
    fused = (
        machine.holds(query)
        and query.dim() == key.dim() == value.dim() == 4  # noqa: PLR2004 -- batch, heads, length, width
        and query.shape[-1] == value.shape[-1]
        and query.shape[1] == key.shape[1]
        and not kwargs.get("enable_gqa")
        and not (drops and machine.compute.has_values)
        and (mask is None or not mask.requires_grad)
    )
    if not fused:
        return func(*args, **kwargs)
    scale = kwargs.get("scale")
    if machine.compute.has_values:
        if mask is not None and mask.dtype is torch.bool:
            mask = torch.zeros_like(mask, dtype=query.dtype).masked_fill_(~mask, float("-inf"))
        kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu  # noqa: SLF001 -- no public name
        return kernel(query, key, value, 0.0, bool(is_causal), attn_mask=mask, scale=scale)[0]
    call = Attention(query, key, value, mask, dropout_p or 0.0, bool(is_causal), scale)
    attended = call.by_fused_kernel()
    return func(*args, **kwargs) if attended is None else attended


def _left_aligned(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Whether an encoder may make a nested tensor of what is not padding: there are none here."""
    return False if machine.holds(args[0]) else func(*args, **kwargs)


def _all_close(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Compare in other operators, as C++ does; without values all are close."""
    if not any(map(machine.holds, tensors_in((*args, *kwargs.values()), []))):
        return func(*args, **kwargs)
    close = torch.isclose(*args, **kwargs).all()
    return bool(close) if machine.compute.has_values else True


def _rms_norm(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Normalise in one kernel, where C++ has one for a GPU."""
    names = ("input", "normalized_shape", "weight", "eps")
    tensor, shape, weight, eps = moves.bind(names, args, kwargs)
    fused = (
        machine.holds(tensor)
        and not machine.compute.has_values
        and tensor.is_floating_point()
        and list(tensor.shape[-len(shape) :]) == list(shape)
        and (weight is None or (weight.dtype is tensor.dtype and list(weight.shape) == list(shape)))
    )
    if not fused:
        return func(*args, **kwargs)
    apply: Any = RootMeanSquareNormalisation.apply
    return apply(tensor, list(shape), weight, eps)[0]


_SIZED = sized_functions()
_SPECIAL: dict[Any, Callable[[Machine, Any, Arguments, Keywords], Any]] = {
    **dict.fromkeys(_SIZED, _sized),
    _Tensor.to: moves.to,
    _Tensor.cuda: moves.cuda,
    _Tensor.type_as: moves.type_as,
    _Tensor.copy_: moves.copy,
    torch.device: _device,
    torch.tensor: _from_data,
    torch.as_tensor: _from_data,
    torch.asarray: _from_data,
    _Tensor.new_tensor: _new_tensor,
    _Tensor.__getitem__: indexing.get,
    _Tensor.__setitem__: indexing.put,
    _Tensor.pin_memory: _pin_memory,
    _Tensor.is_pinned: lambda machine, _func, args, _kwargs: machine.is_pinned(args[0]),
    _Tensor.__bool__: _holds,
    _Tensor.item: _read,
    _Tensor.tolist: _read,
    _Tensor.numpy: _numpy,
    _Tensor.type: _type,
    torch.allclose: _all_close,
    _Tensor.allclose: _all_close,
    torch._nested_tensor_from_mask_left_aligned: _left_aligned,  # noqa: SLF001 -- what `nn.TransformerEncoder` asks
    torch.dropout: _dropout,
    torch.rms_norm: _rms_norm,
    torch._C._VariableFunctions._pack_padded_sequence: _pack,  # noqa: SLF001 -- what `pack_padded_sequence` calls
    torch._C._VariableFunctions._pad_packed_sequence: _unpack,  # noqa: SLF001 -- as above
    **recurrent.LAYERS,
    torch.nn.functional.one_hot: _one_hot,
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
