"""The `torch._C._cuda_*` functions below `torch.cuda`, implemented by the model.

`torch.cuda`'s own Python code is unchanged, so lazy initialization, statistics, seeds, device
contexts and summaries are PyTorch's; only its calls of C++ functions are replaced.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

from .classes import Event, GpuGenerator, Stream
from .gpu import DEVICE_NAME, SimGpu

if TYPE_CHECKING:
    from collections.abc import Callable

    from .allocator import CachingAllocator
    from .machine import Machine
    from .patches import Patches


_parse = torch._C._nn._parse_to  # noqa: SLF001 -- below its replacement


# Grows by one with each fork above this process; asking for the process id each time is slow.
_forks: list[None] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _forks.append(None))


def put_surface(patches: Patches, machine: Machine) -> None:
    """Patch `torch.cuda` and `torch.accelerator` to use the simulated GPUs."""
    for functions in (
        _device_functions(machine),
        _memory_functions(machine),
        _stream_functions(machine),
        _accelerator_functions(machine),
    ):
        patches.put_all(torch._C, functions)  # noqa: SLF001 -- the seam itself
    _put_module(patches, machine)


def _constant(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


_nothing = _constant(None)


def _device_functions(machine: Machine) -> dict[str, Any]:
    started_in: list[int] = []  # how often this process and its parents had forked by then

    def initialise() -> None:
        started_in[:] = [len(_forks)]
        machine.settle()
        generators: Any = tuple(gpu.generator for gpu in machine.gpus)
        torch.cuda.default_generators = generators

    def exchange(ordinal: int, *, use: bool = True) -> int:
        return machine.switch_to(ordinal, use=use) if ordinal >= 0 else -1

    return {
        "_cuda_getDeviceCount": lambda: len(machine.gpus),
        "_cuda_init": initialise,
        # CUDA may start in a child where the parent had not started it.
        "_cuda_isInBadFork": lambda: started_in not in ([], [len(_forks)]),
        "_cuda_getDevice": lambda: machine.thread.current,
        "_cuda_setDevice": machine.switch_to,
        "_cuda_exchangeDevice": exchange,
        "_cuda_maybeExchangeDevice": partial(exchange, use=False),
        "_cuda_hasPrimaryContext": lambda ordinal: machine.gpu_at(ordinal).has_context,
        "_cuda_getArchFlags": _constant("sm_80"),
        "_cuda_canDeviceAccessPeer": _constant(False),
        "_cuda_synchronize": machine.synchronize,
        "_cuda_ipc_collect": _nothing,
        "_cuda_sleep": _nothing,
        "_cuda_lock_mutex": _nothing,
        "_cuda_unlock_mutex": _nothing,
    }


def _memory_functions(machine: Machine) -> dict[str, Any]:
    def allocator(ordinal: int) -> CachingAllocator:
        if not 0 <= ordinal < len(machine.gpus):
            raise RuntimeError(f"Invalid device argument {ordinal}: did you call init?")
        return machine.gpus[ordinal].allocator

    def snapshot(pool: Any = None) -> dict[str, Any]:
        with_traces = pool is None or len(pool) < 3 or bool(pool[2])  # noqa: PLR2004 -- (id, id, include_traces)
        allocators = [gpu.allocator for gpu in machine.gpus]
        return {
            "segments": [segment for each in allocators for segment in each.segments()],
            "device_traces": [each.history.trace() if with_traces else [] for each in allocators],
            "external_annotations": [],
            "allocator_settings": {
                "PYTORCH_CUDA_ALLOC_CONF": "",
                "expandable_segments": False,
            },
        }

    def record_history(
        enabled: str | None,
        context: str | None = "all",
        _stacks: str = "all",
        max_entries: int = sys.maxsize,
        clear_history: bool = False,
        *_: Any,
        **__: Any,
    ) -> None:
        frames = enabled is not None and context is not None
        for gpu in machine.gpus:
            gpu.allocator.history.record(
                enabled, frames=frames, max_entries=max_entries, clear=clear_history
            )

    def set_fraction(fraction: float, ordinal: int) -> None:
        allocator(ordinal).fraction = fraction

    def attach_observer(observer: Callable[[int, int, int, int], object]) -> None:
        for gpu in machine.gpus:
            gpu.allocator.observers.append(observer)

    return {
        "_cuda_memoryStats": lambda ordinal: allocator(ordinal).stats(),
        "_cuda_memorySnapshot": snapshot,
        "_cuda_emptyCache": _each_gpu(machine, _empty_cache),
        "_cuda_resetPeakMemoryStats": lambda ordinal: allocator(ordinal).reset_peaks(),
        "_cuda_resetAccumulatedMemoryStats": lambda ordinal: allocator(ordinal).reset_accumulated(),
        "_cuda_attach_out_of_memory_observer": attach_observer,
        "_cuda_record_memory_history": record_history,
        "_cuda_setMemoryFraction": set_fraction,
        "_cuda_getMemoryFraction": lambda ordinal: allocator(ordinal).fraction or 1.0,
        "_cuda_getAllocatorBackend": _constant("native"),
        "_cuda_cudaCachingAllocator_raw_alloc": machine.raw_alloc,
        "_cuda_cudaCachingAllocator_raw_delete": machine.raw_delete,
        "_cuda_clearCublasWorkspaces": _each_gpu(machine, _clear_workspaces),
        "_cuda_getMemoryMetadata": _constant(""),
        "_cuda_setMemoryMetadata": _nothing,
        "_cuda_hostMemoryStats": _constant({}),
        "_cuda_resetPeakHostMemoryStats": _nothing,
        "_cuda_resetAccumulatedHostMemoryStats": _nothing,
    }


def _each_gpu(machine: Machine, act: Callable[[SimGpu], None]) -> Callable[..., None]:
    def act_on_all(*_: Any) -> None:
        for gpu in machine.gpus:
            act(gpu)

    return act_on_all


def _empty_cache(gpu: SimGpu) -> None:
    gpu.allocator.empty_cache()


def _clear_workspaces(gpu: SimGpu) -> None:
    gpu.blas.clear()


def _stream_functions(machine: Machine) -> dict[str, Any]:
    def current(ordinal: int) -> tuple[int, int, int]:
        return machine.thread.streams.get(ordinal, 0), ordinal, 1

    def put(stream_id: int, device_index: int, device_type: int) -> None:
        del device_type
        machine.thread.streams[device_index] = stream_id
        machine.switch_to(device_index)

    return {
        "_cuda_getCurrentStream": current,
        "_cuda_getDefaultStream": lambda ordinal: (0, ordinal, 1),
        "_cuda_setStream": put,
        "_cuda_getCurrentRawStream": lambda ordinal: current(ordinal)[0],
        "_cuda_get_sync_debug_mode": _constant(0),
        "_cuda_set_sync_debug_mode": _nothing,
    }


def _accelerator_functions(machine: Machine) -> dict[str, Any]:
    def allocator(ordinal: int) -> CachingAllocator:
        return machine.gpu_at(ordinal).allocator

    return {
        "_accelerator_getAccelerator": lambda: torch.device("cuda"),
        "_accelerator_hooks_device_count": lambda: len(machine.gpus),
        "_accelerator_getDeviceIndex": lambda: machine.thread.current,
        "_accelerator_setDeviceIndex": machine.switch_to,
        "_accelerator_exchangeDevice": machine.switch_to,
        "_accelerator_maybeExchangeDevice": lambda ordinal: machine.switch_to(ordinal, use=False),
        "_accelerator_synchronizeDevice": machine.synchronize,
        "_accelerator_getStream": torch.cuda.current_stream,
        "_accelerator_setStream": torch.cuda.set_stream,
        "_accelerator_isAllocatorInitialized": torch.cuda.is_initialized,
        "_accelerator_emptyCache": _each_gpu(machine, _empty_cache),
        "_accelerator_getDeviceStats": lambda ordinal: allocator(ordinal).stats(),
        "_accelerator_resetPeakStats": lambda ordinal: allocator(ordinal).reset_peaks(),
        "_accelerator_resetAccumulatedStats": lambda ordinal: allocator(
            ordinal
        ).reset_accumulated(),
        "_accelerator_getMemoryInfo": lambda ordinal: machine.gpu_at(ordinal).memory_info(),
    }


class _CudaError(int):
    """`cudaError`: a number, with the one name that `torch.cuda` compares with."""

    success: int = 0
    name = "success"


def _properties(machine: Machine, ordinal: int) -> SimpleNamespace:
    """Return the properties of an A100, but for what code asks before it uses bfloat16."""
    gpu = machine.gpu_at(ordinal)
    return SimpleNamespace(
        name=DEVICE_NAME,
        total_memory=gpu.allocator.capacity,
        major=machine.capability[0],
        minor=machine.capability[1],
        multi_processor_count=108,
        warp_size=32,
        max_threads_per_multi_processor=2048,
        max_threads_per_block=1024,
        regs_per_multiprocessor=65536,
        shared_memory_per_block=49152,
        shared_memory_per_block_optin=166912,
        shared_memory_per_multiprocessor=167936,
        L2_cache_size=40 * 2**20,
        is_integrated=0,
        is_multi_gpu_board=0,
        gcnArchName="",
        uuid=gpu.uuid,
        pci_bus_id=gpu.index,
        pci_device_id=0,
        pci_domain_id=0,
    )


def _parse_to(*args: Any, **kwargs: Any) -> Any:
    """Read `module.to(1)`: a number would ask which accelerator this build has.

    A device by keyword would be served as that of a new tensor is, below this line; and that of a
    tensor, `module.to(x)`, would be "meta".
    """
    for name in ("device", "tensor"):
        if kwargs.get(name) is not None:
            args = (kwargs.pop(name), *args)
    if args and type(args[0]) is int:
        args = (torch.device("cuda", args[0]), *args[1:])
    elif args and isinstance(args[0], torch.Tensor):
        args = (args[0].device, args[0].dtype, *args[1:])
    return _parse(*args, **kwargs)


def _put_module(patches: Patches, machine: Machine) -> None:
    """Put what `torch.cuda` took from C++ by name when it was imported, or keeps of the devices."""
    cuda, functions = torch.cuda, _device_functions(machine)
    patches.put_all(
        cuda,
        {
            "_cudart": SimpleNamespace(
                cudaMemGetInfo=lambda ordinal: machine.gpu_at(ordinal).memory_info(),
                cudaError=_CudaError,
                cudaGetErrorString=_constant("no error"),
            ),
            "_get_device_properties": lambda ordinal: _properties(machine, ordinal),
            "_initialized": False,
            "_queued_calls": list(cuda._queued_calls),  # noqa: SLF001 -- part of the seam
            "_cached_device_count": None,
            "_device_count_nvml": _constant(-1),
            "default_generators": (),
            "_is_in_bad_fork": torch._C._cuda_isInBadFork,  # type: ignore[attr-defined]  # noqa: SLF001 -- the one from above
            "_exchange_device": functions["_cuda_exchangeDevice"],
            "_maybe_exchange_device": functions["_cuda_maybeExchangeDevice"],
        },
    )
    for module in (torch, cuda, cuda.streams):
        patches.put(module, "Stream", Stream)
        patches.put(module, "Event", Event)
    patches.put(torch, "Generator", GpuGenerator)
    patches.put(torch._C._nn, "_parse_to", _parse_to)  # noqa: SLF001 -- what `Module.to` calls
    # Recurrent layers ask whether cuDNN could take their weights, and warn that it is missing.
    patches.put(torch.backends.cudnn, "is_acceptable", _constant(False))
    patches.put(torch.version, "cuda", "12.8")
