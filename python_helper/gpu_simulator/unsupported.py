"""Errors and warnings for what is not simulated, one sentence for each."""

from __future__ import annotations

import warnings
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

import torch
import torch._dynamo
import torch.export
import torch.utils.dlpack
from torch.autograd import profiler

from .classes import Event
from .torch_internals import is_gpu_device, tensors_in
from .tracebacks import line_of_person

if TYPE_CHECKING:
    from collections.abc import Callable

    from .patches import Patches
    from .tracebacks import PersonLine

SPARSE = "sparse tensors"
_OPERATORS = {
    **dict.fromkeys(("_to_sparse", "_sparse_", "sparse_"), SPARSE),
    "_ctc_loss": "CTC loss",
    "quantize_per": "quantized tensors",
    "_empty_affine_quantized": "quantized tensors",
    "_nested": "nested tensors",
    "c10d::": "collective operations of torch.distributed: all its GPUs work in one process",
    "_c10d_functional::": "collective operations of torch.distributed",
}
_NO_TIMES = "The simulated GPU has no times of its own: only the host is profiled."

_SETTINGS = "_cuda_cudaCachingAllocator_set_allocator_settings"
_DEFAULTS = "The simulated GPU keeps PyTorch's default allocator settings: others have no effect."
_TENSOR_TYPES = (
    "Float",
    "Double",
    "Half",
    "BFloat16",
    "Long",
    "Int",
    "Short",
    "Char",
    "Byte",
    "Bool",
)

_begin_profile = profiler.profile.__init__


def missing_feature(operator: str) -> str | None:
    """Return what the simulated GPU lacks to run the operator of this name, if anything."""
    return next((what for name, what in _OPERATORS.items() if operator.startswith(name)), None)


def not_simulated(what: str) -> NotImplementedError:
    """Return the error for something that the simulated GPU does not have."""
    return NotImplementedError(f"The simulated GPU has no {what}.")


def no_values(
    what: str, read: PersonLine | None = None, error: Exception | None = None
) -> NotImplementedError:
    """Return the error for code that depends on values, if there are none.

    `read` is the line that reads the value, and `error` PyTorch's text.
    """
    line = line_of_person()
    place = "" if line is None else f" in {line}"
    source = "values" if read in (None, line) else f"a value that {read} reads"
    said = "" if error is None else f" PyTorch says: {error}"
    return NotImplementedError(
        f"The simulated GPU does not know {what}{place}: that depends on {source}, and with "
        f'compute="meta" there are sizes only; compute="cpu" computes values.{said}'
    )


def put_unsupported(patches: Patches, holds: Callable[[torch.Tensor], bool]) -> None:
    """Patch everything that would call CUDA itself to raise or warn, with a sentence."""
    _put_refusals(patches)
    _put_guards(patches, holds)
    patches.put(torch.cuda.nvtx, "_nvtx", _nvtx())
    for name in ("start", "stop"):
        patches.put(torch.cuda.profiler, name, _warning(_NO_TIMES))
    patches.put(profiler.profile, "__init__", _profile_on_host)
    patches.put(torch, "compile", _compile)
    for name in ("_accelerator_setAllocatorSettings", _SETTINGS):
        patches.put(torch._C, name, _warning(_DEFAULTS))  # noqa: SLF001 -- the seam itself


def _put_refusals(patches: Patches) -> None:
    cuda, in_c = torch.cuda, torch._C  # noqa: SLF001 -- the seam itself
    memory = "memory that other processes could share: copy it to the host with .cpu() first"
    for owner, name, what in (
        (cuda.ExternalStream, "__new__", "streams of other libraries"),
        (cuda.memory.CUDAPluggableAllocator, "__new__", "room for another allocator"),
        (cuda, "MemPool", "memory pools"),
        (cuda.memory, "MemPool", "memory pools"),
        *((cuda, f"{name}Tensor", "tensor types: give dtype and device") for name in _TENSOR_TYPES),
        (in_c, "_cuda_cudaCachingAllocator_enable", "allocator that does not cache"),
        (in_c, "_cuda_jiterator_compile_and_launch_kernel", "kernels compiled at run time"),
        (in_c, "_cuda_getCurrentBlasHandle", "cuBLAS handle"),
        (profiler.emit_nvtx, "__enter__", "NVTX"),
        (torch.UntypedStorage, "_share_cuda_", memory),
        (torch.UntypedStorage, "_new_shared_cuda", memory),
        (Event, "ipc_handle", "events that other processes could share"),
        (Event, "from_ipc_handle", "events that other processes could share"),
    ):
        patches.put(owner, name, _refusing(what))


def _put_guards(patches: Patches, holds: Callable[[torch.Tensor], bool]) -> None:
    """Refuse only where something on the GPU is concerned."""

    def concerned(*args: Any, **kwargs: Any) -> bool:
        return is_gpu_device(kwargs.get("device")) or any(map(holds, _tensors(args, kwargs)))

    nested = torch._C._nested  # type: ignore[attr-defined]  # noqa: SLF001 -- not in the stubs; below `torch.nested`
    for owner, name, what in (
        # What is traced here would end the process: a C++ function that must not fail asks Python.
        (torch.export, "export", "tracing for torch.export"),
        (torch.jit, "trace", "tracing for torch.jit"),
        (torch._dynamo, "export", "tracing for torch.export"),  # noqa: SLF001 -- no public name
        (torch.Tensor, "__dlpack__", "memory that DLPack could share"),
        (torch.utils.dlpack, "to_dlpack", "memory that DLPack could share"),
        (torch, "to_dlpack", "memory that DLPack could share"),
        (nested, "nested_tensor", "nested tensors"),
    ):
        patches.put(
            owner, name, guarded(getattr(owner, name), concerned, partial(not_simulated, what))
        )


def guarded(
    function: Callable[..., Any], concerned: Callable[..., bool], refusal: Callable[[], Exception]
) -> Callable[..., Any]:
    """Return `function` that raises what `refusal` makes where its arguments concern a GPU."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if concerned(*args, **kwargs):
            raise refusal()
        return function(*args, **kwargs)

    return call


def _tensors(args: Any, kwargs: dict[str, Any]) -> list[torch.Tensor]:
    found = tensors_in((args, tuple(kwargs.values())), [])
    for value in args:
        if isinstance(value, torch.nn.Module):
            found += (*value.parameters(), *value.buffers())
    return found


def _refusing(what: str) -> Callable[..., NoReturn]:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise not_simulated(what)

    return refuse


def _nvtx() -> SimpleNamespace:
    """Return a replacement of NVTX for `torch.cuda.nvtx`, which warns and marks nothing."""
    ignore = _warning("The simulated GPU has no NVTX: ranges and marks are not recorded.")
    names = ("rangePushA", "rangePop", "rangeStartA", "rangeEnd", "markA")
    return SimpleNamespace(**dict.fromkeys(names, ignore))


def _warning(sentence: str) -> Callable[..., int]:
    def warn(*_: Any, **__: Any) -> int:
        warnings.warn(sentence, stacklevel=3)
        return 0

    return warn


def _profile_on_host(self: Any, *args: Any, **kwargs: Any) -> None:
    if kwargs.get("use_device") == "cuda" or kwargs.get("use_cuda"):
        warnings.warn(_NO_TIMES, stacklevel=3)
        kwargs = {**kwargs, "use_device": None, "use_cuda": False, "use_cpu": True}
    _begin_profile(self, *args, **kwargs)


def _compile(model: Any = None, *, fullgraph: bool = False, **options: Any) -> Any:
    """Return what `torch.compile` is given: there is nothing to compile for."""
    if fullgraph:
        raise RuntimeError("The simulated GPU cannot compile, so fullgraph=True cannot be kept.")
    warnings.warn(
        "torch.compile does nothing on the simulated GPU: the program runs uncompiled.",
        stacklevel=2,
    )
    if model is None:
        return lambda function: _compile(function, **options)
    return model
