"""The card's memory: which storage occupies which block, and where its values are, if any.

A tensor on the simulated card is a `meta` tensor whose storage is registered here. With
`compute="cpu"` the values of each storage lie in a host storage of the same size.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from .torch_internals import is_meta, without_torch_function

if TYPE_CHECKING:
    from .allocator import CachingAllocator
    from .blocks import Block

CUBLAS_WORKSPACE_BYTES = 8_519_680
"""cuBLAS's default workspace, `:4096:2:16:8` KiB, one for each thread that multiplies matrices."""

_resize_storage = torch.UntypedStorage.resize_


class Allocation(weakref.ref["torch.UntypedStorage"]):
    """One storage on the card: a weak reference to it, its block, and its values if it has any."""

    __slots__ = ("_flat", "block", "host", "key", "nbytes")

    key: int
    nbytes: int
    block: Block | None
    host: torch.UntypedStorage | None
    _flat: dict[torch.dtype, torch.Tensor]

    def bind(self, host: torch.UntypedStorage | None) -> None:
        """Let `host` be where the values are."""
        self.host = host
        self._flat = {}

    def flat(self, dtype: torch.dtype) -> torch.Tensor:
        """Return the values as a one-dimensional host tensor."""
        tensor = self._flat.get(dtype)
        if tensor is None:
            assert self.host is not None, "this storage has no values"  # noqa: S101 -- invariant
            tensor = self._flat[dtype] = torch.empty(0, dtype=dtype).set_(self.host)
        return tensor


class CardMemory:
    """Charges storages to the allocator and frees their blocks when the storages die."""

    def __init__(self, allocator: CachingAllocator) -> None:
        self.allocator = allocator
        self._live: dict[int, Allocation] = {}
        self._by_host: dict[int, Allocation] = {}
        self._workspaces: dict[bool, Block] = {}
        self._raw: dict[int, Block] = {}

    def __len__(self) -> int:
        """Return how many storages, empty ones included, are on the card."""
        return len(self._live)

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether `tensor` is on the card. Call it `without_torch_function`."""
        if not is_meta(tensor):
            return False
        try:
            return tensor.untyped_storage()._cdata in self._live  # noqa: SLF001 -- its identity
        except (RuntimeError, NotImplementedError):
            return False  # sparse and other tensors without a storage

    def find(self, storage: torch.UntypedStorage) -> Allocation | None:
        """Return the allocation of `storage`, or None where it is not on the card."""
        return self._live.get(storage._cdata)  # noqa: SLF001 -- its identity

    def charge(
        self, storage: torch.UntypedStorage, host: torch.UntypedStorage | None = None
    ) -> Allocation:
        """Put `storage` on the card, or follow its new size if it is there already.

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
        allocation.block = self.allocator.malloc(nbytes) if nbytes else None
        allocation.key = storage._cdata  # noqa: SLF001 -- its identity
        allocation.nbytes = nbytes
        self._live[allocation.key] = allocation
        self.bind(allocation, host)
        return allocation

    def bind(self, allocation: Allocation, host: torch.UntypedStorage | None) -> None:
        """Let `host` hold the values of `allocation`."""
        allocation.bind(host)
        if host is not None:
            self._by_host[host._cdata] = allocation  # noqa: SLF001 -- its identity

    def owner_of(self, host: torch.UntypedStorage) -> torch.UntypedStorage | None:
        """Return the storage on the card whose values are in `host`, if there is one."""
        allocation = self._by_host.get(host._cdata)  # noqa: SLF001 -- its identity
        return None if allocation is None else allocation()

    def use_workspace(self) -> None:
        """Charge cuBLAS's workspace of this thread, once for forward and once for backward.

        On a card backward has a thread of its own, and each thread has a cuBLAS handle.
        """
        in_backward = torch._C._current_graph_task_id() != -1  # noqa: SLF001 -- no public name
        if in_backward not in self._workspaces:
            self._workspaces[in_backward] = self.allocator.malloc(CUBLAS_WORKSPACE_BYTES)

    def clear_workspaces(self) -> None:
        """Free the cuBLAS workspaces."""
        while self._workspaces:
            self.allocator.free(self._workspaces.popitem()[1])

    def raw_alloc(self, nbytes: int, _stream: int = 0) -> int:
        """Serve `torch.cuda.caching_allocator_alloc`: return an address on the card."""
        block = self.allocator.malloc(nbytes)
        self._raw[block.address] = block
        return block.address

    def raw_delete(self, address: int) -> None:
        """Serve `torch.cuda.caching_allocator_delete`."""
        self.allocator.free(self._raw.pop(address))

    def forget(self) -> None:
        """Leave all storages to themselves: the card is gone."""
        self._live.clear()
        self._by_host.clear()

    def _resize(self, allocation: Allocation, nbytes: int) -> None:
        block = self.allocator.malloc(nbytes) if nbytes else None
        if allocation.block is not None:
            self.allocator.free(allocation.block)
        allocation.block = block
        allocation.nbytes = nbytes
        if allocation.host is not None:
            _resize_storage(allocation.host, nbytes)
            allocation.bind(allocation.host)

    def _gone(self, allocation: Any) -> None:
        """Free what a dead storage occupied. Runs as a finalizer: it must not fail or wait."""
        known = self._live.get(allocation.key)
        if known is None or known is not allocation:
            return
        del self._live[known.key]
        if known.host is not None:
            self._by_host.pop(known.host._cdata, None)  # noqa: SLF001 -- its identity
        if known.block is not None:
            self.allocator.free(known.block)


def address_of(memory: CardMemory, storage: torch.UntypedStorage) -> int:
    """Return the modelled address of `storage` on the card, 0 for an empty one."""
    with without_torch_function():
        allocation = memory.find(storage)
    return 0 if allocation is None or allocation.block is None else allocation.block.address
