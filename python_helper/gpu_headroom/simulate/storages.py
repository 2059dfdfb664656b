"""Storages on the card: where they are, how they are copied, saved and loaded."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import torch

from .memory import address_of
from .torch_internals import CARD, is_card_device, without_torch_function

if TYPE_CHECKING:
    from collections.abc import Callable

    from .card import Card
    from .patches import Patches

_BEFORE_ALL_OTHERS = 1

_Storage = torch.UntypedStorage
_device: Callable[[Any], torch.device] = torch._C.StorageBase.device.__get__  # type: ignore[attr-defined]  # noqa: SLF001 -- a slot, below the property that stands in for it
_data_ptr = _Storage.data_ptr
_resize = _Storage.resize_
_reduce = torch.TypedStorage.__reduce__


def put_storages(patches: Patches, card: Card) -> None:
    """Let storages on `card` be used as those on CUDA, and `torch.load` bring them back to it."""
    memory = card.memory
    _put_copies(patches, card)

    def data_ptr(storage: torch.UntypedStorage) -> int:
        return address_of(memory, storage) or _data_ptr(storage)

    def resize(storage: torch.UntypedStorage, nbytes: int) -> torch.UntypedStorage:
        _resize(storage, nbytes)
        if memory.find(storage) is not None:
            memory.charge(storage)
        return storage

    patches.put(_Storage, "device", property(lambda s: CARD if memory.find(s) else _device(s)))
    patches.put(_Storage, "is_cuda", property(lambda s: memory.find(s) is not None))
    patches.put(_Storage, "data_ptr", data_ptr)
    patches.put(_Storage, "resize_", resize)
    _put_locations(patches, card)


def _put_copies(patches: Patches, card: Card) -> None:
    memory = card.memory

    def to_host(storage: torch.UntypedStorage) -> torch.UntypedStorage:
        allocation = memory.find(storage)
        if allocation is None:
            return storage
        copy = _Storage(allocation.nbytes)
        return copy if allocation.host is None else copy.copy_(allocation.host, False)

    def to_card(storage: torch.UntypedStorage, *_: Any, **__: Any) -> torch.UntypedStorage:
        return storage if memory.find(storage) else _take_over(card, storage)

    def clone(storage: torch.UntypedStorage) -> torch.UntypedStorage:
        if memory.find(storage) is None:
            return _Storage(storage.nbytes(), device=_device(storage)).copy_(storage, False)
        return _take_over(card, to_host(storage))

    def reduce(storage: torch.TypedStorage) -> Any:
        untyped = storage._untyped_storage  # noqa: SLF001 -- its public name warns
        if memory.find(untyped) is None:
            return _reduce(storage)  # type: ignore[no-untyped-call]  # PyTorch does not annotate it
        return _load_on_card, (pickle.dumps(_typed(to_host(untyped), storage.dtype)),)

    patches.put(_Storage, "cpu", to_host)
    patches.put(_Storage, "cuda", to_card)
    patches.put(_Storage, "clone", clone)
    patches.put(torch.TypedStorage, "__reduce__", reduce)


def _load_on_card(pickled: bytes) -> torch.TypedStorage:
    """Unpickle a storage that was on the card; without one PyTorch says what is missing."""
    storage: torch.TypedStorage = pickle.loads(pickled)  # noqa: S301 -- part of a pickle already
    on_card: Any = storage._untyped_storage.cuda()  # noqa: SLF001 -- see above
    return _typed(on_card, storage.dtype)


def _typed(storage: torch.UntypedStorage, dtype: torch.dtype) -> torch.TypedStorage:
    return torch.TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


def _put_locations(patches: Patches, card: Card) -> None:
    """Register the card's location tag before PyTorch's own."""

    def tag(value: Any) -> str | None:
        storage = getattr(value, "_untyped_storage", value)
        on_card = isinstance(storage, torch.UntypedStorage) and card.memory.find(storage)
        return "cuda:0" if on_card else None

    def restore(value: Any, location: str) -> torch.UntypedStorage | None:
        storage = getattr(value, "_untyped_storage", value)
        return _take_over(card, storage) if is_card_device(location) else None

    registry = torch.serialization._package_registry  # noqa: SLF001 -- `register_package` cannot undo
    entry = (_BEFORE_ALL_OTHERS, tag, restore)
    patches.put(torch.serialization, "_package_registry", [entry, *registry])


def _take_over(card: Card, host: torch.UntypedStorage) -> torch.UntypedStorage:
    """Return a storage on the card that takes `host` over as the place of its values."""
    with without_torch_function():
        storage = _Storage(host.nbytes(), device="meta")
        card.memory.charge(storage, host if card.compute.has_values else None)
        return storage
