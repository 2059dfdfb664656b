"""The seam: the `torch._C._cuda_*` functions below `torch.cuda`, answered by the model.

`torch.cuda`'s own Python stays as it is, so lazy initialisation, statistics, seeds, device
contexts and summaries are PyTorch's; only what it asks of C++ is answered here.
"""

from __future__ import annotations

import contextlib
import os
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

from .generator import CardGenerator
from .streams import DEFAULT_STREAM, Event, Stream
from .torch_internals import CARD, check_ordinal

if TYPE_CHECKING:
    from collections.abc import Callable

    from .card import Card
    from .patches import Patches

DEVICE_NAME = "Simulated GPU"


class _Forks:
    """Counts the forks above this process; asking for the process id each time is slow."""

    generation = 0

    def note(self) -> None:
        """Count one more, in the child."""
        self.generation += 1


_forks = _Forks()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forks.note)


def put_surface(patches: Patches, card: Card) -> None:
    """Let `torch.cuda` and `torch.accelerator` find `card`."""
    for functions in (
        _device_functions(card),
        _memory_functions(card),
        _stream_functions(),
        _accelerator_functions(card),
        _parallel_functions(),
    ):
        patches.put_all(torch._C, functions)  # noqa: SLF001 -- the seam itself
    _put_module(patches, card)


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _constant(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def _device_functions(card: Card) -> dict[str, Any]:
    generation = _forks.generation

    def initialise() -> None:
        torch.cuda.default_generators = (card.generator,)

    def exchange(index: int) -> int:
        return 0 if index >= 0 else -1

    return {
        "_cuda_getDeviceCount": _constant(1),
        "_cuda_init": initialise,
        "_cuda_isInBadFork": lambda: _forks.generation != generation,
        "_cuda_getDevice": _constant(0),
        "_cuda_setDevice": check_ordinal,
        "_cuda_exchangeDevice": exchange,
        "_cuda_maybeExchangeDevice": exchange,
        "_cuda_hasPrimaryContext": lambda index: index == 0 and torch.cuda.is_initialized(),
        "_cuda_getArchFlags": _constant("sm_80"),
        "_cuda_canDeviceAccessPeer": _constant(False),
        "_cuda_synchronize": _nothing,
        "_cuda_ipc_collect": _nothing,
        "_cuda_sleep": _nothing,
        "_cuda_lock_mutex": _nothing,
        "_cuda_unlock_mutex": _nothing,
    }


def _memory_functions(card: Card) -> dict[str, Any]:
    memory, allocator = card.memory, card.memory.allocator

    def snapshot(pool: Any = None) -> dict[str, Any]:
        with_traces = pool is None or len(pool) < 3 or bool(pool[2])  # noqa: PLR2004 -- (id, id, include_traces)
        traces = allocator.history.trace() if with_traces else []
        return {
            "segments": allocator.segments(),
            "device_traces": [traces],
            "external_annotations": [],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "expandable_segments": False},
        }

    def set_fraction(fraction: float, _device: int) -> None:
        allocator.fraction = fraction

    return {
        "_cuda_memoryStats": lambda _device: allocator.stats(),
        "_cuda_memorySnapshot": snapshot,
        "_cuda_emptyCache": lambda *_: allocator.empty_cache(),
        "_cuda_resetPeakMemoryStats": lambda _device: allocator.reset_peaks(),
        "_cuda_resetAccumulatedMemoryStats": lambda _device: allocator.reset_accumulated(),
        "_cuda_attach_out_of_memory_observer": allocator.observers.append,
        "_cuda_record_memory_history": _record_history(card),
        "_cuda_setMemoryFraction": set_fraction,
        "_cuda_getMemoryFraction": lambda _device: allocator.fraction or 1.0,
        "_cuda_getAllocatorBackend": _constant("native"),
        "_cuda_cudaCachingAllocator_raw_alloc": memory.raw_alloc,
        "_cuda_cudaCachingAllocator_raw_delete": memory.raw_delete,
        "_cuda_cudaCachingAllocator_set_allocator_settings": _nothing,
        "_cuda_clearCublasWorkspaces": memory.clear_workspaces,
        "_cuda_getMemoryMetadata": _constant(""),
        "_cuda_setMemoryMetadata": _nothing,
        "_cuda_hostMemoryStats": _constant({}),
        "_cuda_resetPeakHostMemoryStats": _nothing,
        "_cuda_resetAccumulatedHostMemoryStats": _nothing,
    }


def _record_history(card: Card) -> Callable[..., None]:
    def record(
        enabled: str | None,
        context: str | None = "all",
        _stacks: str = "all",
        max_entries: int = sys.maxsize,
        *_: Any,
        **__: Any,
    ) -> None:
        history = card.memory.allocator.history
        if enabled is None:
            history.stop()
        else:
            history.start(
                trace=enabled == "all", frames=context is not None, max_entries=max_entries
            )

    return record


def _stream_functions() -> dict[str, Any]:
    return {
        "_cuda_getCurrentStream": _constant((0, 0, 1)),
        "_cuda_getDefaultStream": _constant((0, 0, 1)),
        "_cuda_setStream": _nothing,
        "_cuda_getCurrentRawStream": _constant(0),
        "_cuda_isCurrentStreamCapturing": _constant(False),
        "_cuda_get_sync_debug_mode": _constant(0),
        "_cuda_set_sync_debug_mode": _nothing,
    }


def _accelerator_functions(card: Card) -> dict[str, Any]:
    allocator = card.memory.allocator
    return {
        "_accelerator_getAccelerator": lambda: torch.device("cuda"),
        "_accelerator_hooks_device_count": _constant(1),
        "_accelerator_getDeviceIndex": _constant(0),
        "_accelerator_setDeviceIndex": check_ordinal,
        "_accelerator_exchangeDevice": _constant(0),
        "_accelerator_maybeExchangeDevice": _constant(0),
        "_accelerator_synchronizeDevice": _nothing,
        "_accelerator_getStream": _constant(DEFAULT_STREAM),
        "_accelerator_setStream": _nothing,
        "_accelerator_isAllocatorInitialized": torch.cuda.is_initialized,
        "_accelerator_emptyCache": allocator.empty_cache,
        "_accelerator_getDeviceStats": lambda _device: allocator.stats(),
        "_accelerator_resetPeakStats": lambda _device: allocator.reset_peaks(),
        "_accelerator_resetAccumulatedStats": lambda _device: allocator.reset_accumulated(),
        "_accelerator_getMemoryInfo": lambda _device: (allocator.device_free, allocator.capacity),
    }


def _parallel_functions() -> dict[str, Any]:
    """Serve `DataParallel` on one device."""
    return {
        "_scatter": lambda tensor, *_: (tensor.to(CARD),),
        "_gather": lambda tensors, dim, _destination: torch.cat(list(tensors), dim),
        "_broadcast": lambda tensor, _devices: [tensor],
        "_broadcast_coalesced": lambda tensors, _devices, _size: [list(tensors)],
    }


class _CudaError(int):
    """`cudaError`: a number, with the one name that `torch.cuda` compares with."""

    success: int = 0
    name = "success"


def _runtime(card: Card) -> SimpleNamespace:
    allocator = card.memory.allocator
    return SimpleNamespace(
        cudaMemGetInfo=lambda _device: (allocator.device_free, allocator.capacity),
        cudaError=_CudaError,
        cudaGetErrorString=_constant("no error"),
    )


def _properties(card: Card) -> SimpleNamespace:
    """Return the properties of an Ampere card, since some code asks before it uses bfloat16."""
    return SimpleNamespace(
        name=DEVICE_NAME,
        total_memory=card.memory.allocator.capacity,
        major=8,
        minor=0,
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
        uuid="51f00000-0000-0000-0000-000000000000",
        pci_bus_id=0,
        pci_device_id=0,
        pci_domain_id=0,
    )


def _put_module(patches: Patches, card: Card) -> None:
    """Put what `torch.cuda` took from C++ by name when it was imported."""
    cuda, functions = torch.cuda, _device_functions(card)
    patches.put_all(
        cuda,
        {
            "_cudart": _runtime(card),
            "_get_device_properties": _constant(_properties(card)),
            "_initialized": False,
            "_queued_calls": list(cuda._queued_calls),  # noqa: SLF001 -- part of the seam
            "default_generators": (),
            "_is_in_bad_fork": functions["_cuda_isInBadFork"],
            "_exchange_device": functions["_cuda_exchangeDevice"],
            "_maybe_exchange_device": functions["_cuda_maybeExchangeDevice"],
            "current_stream": _constant(DEFAULT_STREAM),
            "default_stream": _constant(DEFAULT_STREAM),
            "set_stream": _nothing,
            "stream": contextlib.nullcontext,
        },
    )
    for module in (torch, cuda, cuda.streams):
        patches.put(module, "Stream", Stream)
        patches.put(module, "Event", Event)
    patches.put(torch, "Generator", CardGenerator)
    # Recurrent layers ask whether cuDNN could take their weights, and warn that it is missing.
    patches.put(torch.backends.cudnn, "is_acceptable", _constant(False))
    patches.put(torch.version, "cuda", "12.8")
