"""Storages on the GPUs: where they are, how they are copied, saved and loaded."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import torch

from .memory import address_of
from .torch_internals import is_gpu_device, without_torch_function

if TYPE_CHECKING:
    from collections.abc import Callable

    from .gpu import SimGpu
    from .machine import Machine
    from .patches import Patches

_BEFORE_ALL_OTHERS = 1
NUMBER_BYTES = 16
"""The largest number, whose value is kept on the way from the host."""

_Storage = torch.UntypedStorage
_device: Callable[[Any], torch.device] = torch._C.StorageBase.device.__get__  # type: ignore[attr-defined]  # noqa: SLF001 -- a slot, below the property that replaces it
_data_ptr = _Storage.data_ptr
_resize = _Storage.resize_
_to = _Storage.to
_write: Callable[..., None] = _Storage._write_file  # noqa: SLF001 -- what the older format of files calls
_reduce = torch.TypedStorage.__reduce__


def put_storages(patches: Patches, machine: Machine) -> None:
    """Patch storages on GPUs to work like those on CUDA, and `torch.load` to restore them."""
    memory = machine.memory
    _put_copies(patches, machine)

    def device(storage: torch.UntypedStorage) -> torch.device:
        allocation = memory.find(storage)
        return _device(storage) if allocation is None else allocation.gpu.device

    def data_ptr(storage: torch.UntypedStorage) -> int:
        return address_of(memory, storage) or _data_ptr(storage)

    def resize(storage: torch.UntypedStorage, nbytes: int) -> torch.UntypedStorage:
        _resize(storage, nbytes)
        allocation = memory.find(storage)
        if allocation is not None:
            memory.charge(storage, allocation.gpu)
        return storage

    patches.put(_Storage, "device", property(device))
    patches.put(_Storage, "is_cuda", property(lambda s: memory.find(s) is not None))
    patches.put(_Storage, "data_ptr", data_ptr)
    patches.put(_Storage, "resize_", resize)
    _put_locations(patches, machine)


def _put_copies(patches: Patches, machine: Machine) -> None:
    memory = machine.memory

    def to_host(storage: torch.UntypedStorage) -> torch.UntypedStorage:
        allocation = memory.find(storage)
        if allocation is None:
            return storage
        copy = _Storage(allocation.nbytes)
        if allocation.host is not None:
            return copy.copy_(allocation.host, False)
        memory.unknown.add(copy)
        return copy

    def to_gpu(
        storage: torch.UntypedStorage, device: Any = None, *_: Any, **__: Any
    ) -> torch.UntypedStorage:
        gpu = machine.gpu_named("cuda" if device is None else device)
        allocation = memory.find(storage)
        if allocation is None:
            return _take_over(machine, gpu, storage)
        return storage if allocation.gpu is gpu else _take_over(machine, gpu, to_host(storage))

    def to(storage: torch.UntypedStorage, *, device: Any, non_blocking: bool = False) -> Any:
        if is_gpu_device(device):
            return to_gpu(storage, device)
        if memory.find(storage) is not None and torch.device(device).type == "cpu":
            return to_host(storage)
        return _to(storage, device=device, non_blocking=non_blocking)

    patches.put(_Storage, "cpu", to_host)
    patches.put(_Storage, "cuda", to_gpu)
    patches.put(_Storage, "to", to)
    _put_saving(patches, machine, to_host)


def _put_saving(patches: Patches, machine: Machine, to_host: Callable[..., Any]) -> None:
    memory = machine.memory

    def clone(storage: torch.UntypedStorage) -> torch.UntypedStorage:
        allocation = memory.find(storage)
        if allocation is None:
            return _Storage(storage.nbytes(), device=_device(storage)).copy_(storage, False)
        return _take_over(machine, allocation.gpu, to_host(storage))

    def reduce(storage: torch.TypedStorage) -> Any:
        untyped = storage._untyped_storage  # noqa: SLF001 -- its public name warns
        allocation = memory.find(untyped)
        if allocation is None:
            return _reduce(storage)  # type: ignore[no-untyped-call]  # PyTorch does not annotate it
        pickled = pickle.dumps(_typed(to_host(untyped), storage.dtype))
        return _load_on_gpu, (pickled, allocation.gpu.device.index)

    patches.put(_Storage, "clone", clone)
    patches.put(_Storage, "_write_file", lambda storage, *to: _write(to_host(storage), *to))
    patches.put(torch.TypedStorage, "__reduce__", reduce)


def _load_on_gpu(pickled: bytes, ordinal: int = 0) -> torch.TypedStorage:
    """Unpickle a storage that was on a GPU; without one PyTorch raises its own error."""
    storage: torch.TypedStorage = pickle.loads(pickled)  # noqa: S301 -- part of a pickle already
    on_gpu: Any = storage._untyped_storage.cuda(ordinal)  # noqa: SLF001 -- see above
    return _typed(on_gpu, storage.dtype)


def _typed(storage: torch.UntypedStorage, dtype: torch.dtype) -> torch.TypedStorage:
    return torch.TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


def _put_locations(patches: Patches, machine: Machine) -> None:
    """Register the GPUs' location tags before PyTorch's own."""

    def tag(value: Any) -> str | None:
        storage = getattr(value, "_untyped_storage", value)
        allocation = (
            machine.memory.find(storage) if isinstance(storage, torch.UntypedStorage) else None
        )
        return None if allocation is None else str(allocation.gpu.device)

    def restore(value: Any, location: str) -> torch.UntypedStorage | None:
        if not is_gpu_device(location):
            return None
        place = torch.serialization._validate_device(location, "cuda")  # noqa: SLF001 -- says what PyTorch says of a GPU that is not there
        storage = getattr(value, "_untyped_storage", value)
        return _take_over(machine, machine.gpu_named(place), storage)

    registry = torch.serialization._package_registry  # noqa: SLF001 -- `register_package` cannot undo
    entry = (_BEFORE_ALL_OTHERS, tag, restore)
    patches.put(torch.serialization, "_package_registry", [entry, *registry])


def _take_over(machine: Machine, gpu: SimGpu, host: torch.UntypedStorage) -> torch.UntypedStorage:
    """Return a storage on `gpu` that takes `host` over as the place of its values."""
    with without_torch_function():
        storage = _Storage(host.nbytes(), device="meta")
        is_number = host.nbytes() <= NUMBER_BYTES and host not in machine.memory.unknown
        keeps = machine.compute.has_values or is_number
        machine.memory.charge(storage, gpu, host if keeps else None)
        return storage
