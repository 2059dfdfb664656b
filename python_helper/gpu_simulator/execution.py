"""Operator calls on the simulated GPUs: where each one runs, and what may not be mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .operations import Operation, operation
from .scratch import scratch, takes_cublas_handle
from .torch_internals import tensors_in, thread_state, without_torch_function
from .tracebacks import without_own_frames
from .unsupported import SPARSE, not_simulated

if TYPE_CHECKING:
    from .gpu import SimGpu
    from .machine import Machine


class GpuMode(TorchDispatchMode):
    """Brings every operator call of its thread to the GPU that it belongs to."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # PyTorch does not annotate it
        self._machine = machine
        self._gpu_of = machine.memory.gpu_of

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Leave `__torch_dispatch__` as it is: the wrapper costs more than the handler."""
        return False

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Return false: PyTorch's compiler then sees an active mode and does not compile."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Run one operator call."""
        __tracebackhide__ = True
        if not self._machine.present:
            return func(*args, **(kwargs or {}))
        try:
            with without_torch_function():
                return self._execute(func, args, kwargs or {})
        except torch.OutOfMemoryError as error:
            # A frame of ours must not keep a tensor alive that a real GPU would have let go.
            args, kwargs = (), None
            raise without_own_frames(error)  # noqa: B904 -- it is the same error
        except Exception:
            raise
        except BaseException:
            thread_state.reset()
            raise

    def _execute(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run one operator call of any device: on a GPU if it belongs there."""
        what = operation(func)
        if what.is_composite:
            with self:  # in inference mode PyTorch leaves it to us to take it apart
                return func.decompose(*args, **kwargs)
        tensors = tensors_in(args, [])
        if kwargs:
            tensors_in(kwargs.values(), tensors)
        homes = [self._gpu_of(tensor) for tensor in tensors]
        first = next((home for home in homes if home is not None), None)
        device = kwargs.get("device")
        gpu = first if device is None else self._machine.target(device, first)
        if gpu is None and first is None:
            return self._run_on_host(what, func, args, kwargs)
        if what.missing is not None:
            raise not_simulated(what.missing)
        if any(tensor.layout is not torch.strided for tensor in tensors):
            raise not_simulated(SPARSE)
        if device is None and any(home is not first for home in homes):
            _check_devices(what, args, list(zip(tensors, homes, strict=True)))
            # What is written or indexed decides, where other devices may take part.
            if what.mixes_devices and args and isinstance(args[0], torch.Tensor):
                gpu = self._gpu_of(args[0]) or first
        if gpu is not None:
            self._machine.thread.near = gpu.device.index
            if device is not None and gpu is first and _is_no_copy(what, args[0], kwargs):
                return torch.ops.aten.alias.default(args[0])
        return self._run(what, args, kwargs, gpu, first)

    def _run_on_host(
        self, what: Operation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run an operation of the host, whose numbers may come from a GPU without values."""
        if not self._machine.memory.unknown:
            return func(*args, **kwargs)
        return self._machine.shapes.run_on_host(what, args, kwargs)

    def _run(
        self,
        what: Operation,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        gpu: SimGpu | None,
        first: SimGpu | None,
    ) -> Any:
        """Run one whose result is on a GPU; `None`: on the host, of what is on the `first`."""
        if what.composition is not None and gpu is not None:
            with self:
                return what.func._op_dk(what.composition, *args, **kwargs)  # noqa: SLF001 -- no public name
        if what.counts_versions and gpu is not None:
            written = [each for each in args[0] if not each.is_inference()]
            torch.autograd.graph.increment_version(written)
        result = self._machine.compute.run(what, args, kwargs, gpu)
        home = gpu or first
        if home is not None:
            home.run_beside(scratch(what, args, kwargs), with_blas=takes_cublas_handle(what))
        return result


def _check_devices(
    what: Operation, args: tuple[Any, ...], placed: list[tuple[torch.Tensor, SimGpu | None]]
) -> None:
    """Raise PyTorch's error where an operation mixes tensors of several devices."""
    home = placed[0][1]
    if what.name == "index" and any(other not in (None, home) for _, other in placed):
        raise RuntimeError(
            "indices should be either on cpu or on the same device as the indexed tensor "
            f"({_name(home)})"
        )
    if what.mixes_devices:
        return
    # Host tensors without dimensions count as numbers, which may be anywhere.
    bound = [each for each in placed if each[1] or (each[0].dim() > 0 and each[0].numel() > 0)]
    for tensor, home in bound:
        if home is not bound[0][1]:
            raise RuntimeError(_mixed(what, args, tensor, _name(home), _name(bound[0][1])))


def _mixed(
    what: Operation, args: tuple[Any, ...], tensor: torch.Tensor, place: str, common: str
) -> str:
    """Return what PyTorch 2.13 says: its iterator over elements, or the check of arguments."""
    start = "Expected all tensors to be on the same device, but"
    if torch.Tag.pointwise in what.func.tags:
        return f"{start} found at least two devices, {common} and {place}!"
    name = next((n for n, a in zip(what.arguments, args, strict=False) if a is tensor), "tensors")
    return (
        f"{start} got {name} is on {place}, different from other tensors on {common} "
        f"(when checking argument in method wrapper_CUDA_{what.name})"
    )


def _name(gpu: SimGpu | None) -> str:
    return "cpu" if gpu is None else str(gpu.device)


def _is_no_copy(what: Operation, tensor: torch.Tensor, kwargs: dict[str, Any]) -> bool:
    """Whether a copy to a GPU is one from the GPU to itself that changes nothing.

    PyTorch's own Python code requests such copies: `x.to(y.device)` there reads "cuda:0", while the
    C++ code compares with another device.
    """
    return (
        what.name == "_to_copy"
        and kwargs["device"].type == "cuda"
        and kwargs.get("dtype") in (None, tensor.dtype)
        and kwargs.get("memory_format") in (None, torch.preserve_format)
    )
