"""The GPUs' memory: which storage occupies which block, and where its values are, if any.

A tensor on a simulated GPU is a `meta` tensor whose storage is registered here. With
`compute="cpu"` the values of each storage lie in a host storage of the same size.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from .torch_internals import is_meta, tensors_in, without_torch_function

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .blocks import Block
    from .gpu import SimGpu

_resize_storage = torch.UntypedStorage.resize_


class Allocation(weakref.ref["torch.UntypedStorage"]):
    """One storage on a GPU: a weak reference to it, its block, and its values if it has any."""

    __slots__ = ("block", "gpu", "host", "key", "nbytes", "views")

    gpu: SimGpu
    key: int
    nbytes: int
    block: Block | None
    host: torch.UntypedStorage | None
    views: dict[torch.dtype, torch.Tensor]

    def flat(self, dtype: torch.dtype) -> torch.Tensor:
        """Return the values as a one-dimensional host tensor."""
        tensor = self.views.get(dtype)
        if tensor is None:
            assert self.host is not None, "this storage has no values"  # noqa: S101 -- invariant
            tensor = self.views[dtype] = torch.empty(0, dtype=dtype).set_(self.host)
        return tensor


class Memory:
    """Charges storages to their GPUs and frees their blocks when the storages die."""

    def __init__(self) -> None:
        self._live: dict[int, Allocation] = {}
        self._by_host: dict[int, Allocation] = {}
        self.unknown: weakref.WeakSet[torch.UntypedStorage] = weakref.WeakSet()
        """Storages on the host whose values were not computed."""
        self.largest: weakref.WeakKeyDictionary[torch.UntypedStorage, frozenset[int]] = (
            weakref.WeakKeyDictionary()
        )
        """Storages of tensors whose sizes depend on values: these have their largest size."""

    def __len__(self) -> int:
        """Return how many storages, empty ones included, are on the GPUs."""
        return len(self._live)

    def gpu_of(self, tensor: torch.Tensor) -> SimGpu | None:
        """Return the GPU that `tensor` is on, if any. Call it `without_torch_function`."""
        if not is_meta(tensor):
            return None
        try:
            allocation = self._live.get(tensor.untyped_storage()._cdata)  # noqa: SLF001 -- its identity
        except (RuntimeError, NotImplementedError):  # a tensor without a storage
            return None
        return None if allocation is None else allocation.gpu

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether `tensor` is on a GPU. Call it `without_torch_function`."""
        return self.gpu_of(tensor) is not None

    def is_unknown(self, tensor: torch.Tensor) -> bool:
        """Whether the values of `tensor` are unknown. Call it `without_torch_function`."""
        storage = _storage_of(tensor)
        if storage is None:
            return False
        if not is_meta(tensor):
            return storage in self.unknown
        allocation = self.find(storage)
        return allocation is not None and allocation.host is None

    def has_largest_size(self, tensor: torch.Tensor) -> bool:
        """Whether `tensor` may be smaller in truth. Call it `without_torch_function`."""
        return bool(self._sizes_in((tensor,)))

    def note_largest(self, result: Any, sizes: frozenset[int]) -> None:
        """Remember that these sizes, of tensors in `result`, are the largest that they can be."""
        for tensor in tensors_in((result,), []):
            storage = _storage_of(tensor)
            if storage is not None and not sizes.isdisjoint(tensor.shape):
                self.largest[storage] = sizes

    def follow_largest(self, tensors: Iterable[torch.Tensor], result: Any) -> None:
        """Remember of what was made of `tensors` which of its sizes come from theirs."""
        sizes = self._sizes_in(tensors)
        if sizes:
            self.note_largest(result, sizes)

    def _sizes_in(self, tensors: Iterable[torch.Tensor]) -> frozenset[int]:
        known = [
            self.largest.get(storage)
            for storage in map(_storage_of, tensors)
            if storage is not None
        ]
        return frozenset([size for sizes in known if sizes for size in sizes])

    def find(self, storage: torch.UntypedStorage) -> Allocation | None:
        """Return the allocation of `storage`, or None where it is not on a GPU."""
        return self._live.get(storage._cdata)  # noqa: SLF001 -- its identity

    def charge(
        self,
        storage: torch.UntypedStorage,
        gpu: SimGpu,
        host: torch.UntypedStorage | None = None,
    ) -> Allocation:
        """Put `storage` on `gpu`, or follow its new size if it is on one already.

        Raises `torch.OutOfMemoryError` where there is no room. Like PyTorch, a resize takes the
        new block before it returns the old one.
        """
        nbytes = storage.nbytes()
        known = self.find(storage)
        if known is not None:
            if known.nbytes != nbytes:
                self._resize(known, nbytes)
            return known
        if not torch.cuda.is_initialized():
            torch.cuda.init()
        allocation = Allocation(storage, self._gone)
        gpu.has_context = True
        allocation.gpu = gpu
        allocation.block = gpu.malloc(nbytes) if nbytes else None
        allocation.key = storage._cdata  # noqa: SLF001 -- its identity
        allocation.nbytes = nbytes
        self._live[allocation.key] = allocation
        self.bind(allocation, host)
        return allocation

    def bind(self, allocation: Allocation, host: torch.UntypedStorage | None) -> None:
        """Make `host` the storage with the values of `allocation`, instead of the former one."""
        former = getattr(allocation, "host", None)
        if former is not None:
            # Another storage may lie at its address soon.
            self._by_host.pop(former._cdata, None)  # noqa: SLF001 -- its identity
        allocation.host = host
        allocation.views = {}
        if host is not None:
            self._by_host[host._cdata] = allocation  # noqa: SLF001 -- its identity

    @property
    def has_values(self) -> bool:
        """Whether the values of any storage are known."""
        return bool(self._by_host)

    def forget_values(self, storage: torch.UntypedStorage) -> None:
        """Make the values of `storage` unknown."""
        self.bind(self._live[storage._cdata], None)  # noqa: SLF001 -- its identity

    def forget_all_values(self, but_bytes: int) -> None:
        """Make the values of all storages larger than `but_bytes` unknown."""
        for allocation in list(self._live.values()):
            if allocation.nbytes > but_bytes:
                self.bind(allocation, None)

    def owner_of(self, host: torch.UntypedStorage) -> torch.UntypedStorage | None:
        """Return the storage on a GPU whose values are in `host`, if there is one."""
        allocation = self._by_host.get(host._cdata)  # noqa: SLF001 -- its identity
        return None if allocation is None else allocation()

    def forget(self) -> None:
        """Leave all storages to themselves: the GPUs are gone."""
        self._live.clear()
        self._by_host.clear()
        self.unknown.clear()
        self.largest.clear()

    def _resize(self, allocation: Allocation, nbytes: int) -> None:
        block = allocation.gpu.malloc(nbytes) if nbytes else None
        if allocation.block is not None:
            allocation.gpu.allocator.free(allocation.block)
        allocation.block = block
        allocation.nbytes = nbytes
        if allocation.host is not None:
            _resize_storage(allocation.host, nbytes)
            self.bind(allocation, allocation.host)

    def _gone(self, allocation: Any) -> None:
        """Free what a dead storage occupied. Runs as a finalizer: it must not fail or wait."""
        known = self._live.get(allocation.key)
        if known is None or known is not allocation:
            return
        del self._live[known.key]
        if known.host is not None:
            self._by_host.pop(known.host._cdata, None)  # noqa: SLF001 -- its identity
        if known.block is not None:
            known.gpu.allocator.free(known.block)


def _storage_of(tensor: torch.Tensor) -> torch.UntypedStorage | None:
    try:
        return tensor.untyped_storage()
    except (RuntimeError, NotImplementedError):  # a tensor without one
        return None


def address_of(memory: Memory, storage: torch.UntypedStorage) -> int:
    """Return the modelled address of `storage` on its GPU, 0 for an empty one."""
    with without_torch_function():
        allocation = memory.find(storage)
    return 0 if allocation is None or allocation.block is None else allocation.block.address
