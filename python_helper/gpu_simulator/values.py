"""Computing with real values (`compute="cpu"`): the host's kernels run on what the GPU holds."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from .torch_internals import CPU, META, in_kernel, is_meta, map_tensors, tensors_in
from .unsupported import SPARSE, not_simulated

if TYPE_CHECKING:
    from .gpu import SimGpu
    from .memory import Memory
    from .operations import Operation
    from .torch_internals import Arguments, Keywords

_HOST_RESULTS = {"_pack_padded_sequence": (1,)}


class Values:
    """Runs each operation on host tensors that share the memory behind the GPU's storages.

    A result that may be large is charged first, so that one that does not fit on the GPU never
    uses the host's memory.
    """

    has_values = True

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def run(
        self, operation: Operation, args: Arguments, kwargs: Keywords, gpu: SimGpu | None
    ) -> Any:
        """Return the result of an operation on `gpu`; off the GPUs (None), on the host."""
        if gpu is None:
            return self._run_on_host(operation, args, kwargs)
        if operation.is_view:
            return self._run_view(operation, args, kwargs, gpu)
        sized = self._predict(operation, args, kwargs, gpu)
        result = self._run_on_host(operation, args, kwargs, gpu)
        if sized is not None:
            self._fill(sized, result, gpu)
            return sized
        return self._to_gpu(operation, args, kwargs, result, gpu)

    def host(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a host tensor over the memory of `tensor`, or `tensor` if it is on the host."""
        if not self._memory.holds(tensor):
            return tensor
        allocation = self._memory.find(tensor.untyped_storage())
        assert allocation is not None, "held just now"  # noqa: S101 -- invariant
        view = torch.as_strided(
            allocation.flat(tensor.dtype), tensor.size(), tensor.stride(), tensor.storage_offset()
        )
        if tensor.is_conj():
            view = view.conj()
        return torch._neg_view(view) if tensor.is_neg() else view  # noqa: SLF001 -- no public name

    def adopt(self, host: torch.Tensor, gpu: SimGpu) -> torch.Tensor:
        """Return a tensor on `gpu` whose values are those of the host tensor `host`."""
        host_storage = storage_of(host)
        storage = self._memory.owner_of(host_storage)
        if storage is None and host.storage_offset() == 0:
            tensor = torch.empty_strided(host.size(), host.stride(), dtype=host.dtype, device=META)
            if tensor.untyped_storage().nbytes() == host_storage.nbytes():
                self._memory.charge(tensor.untyped_storage(), gpu, host_storage)
                return tensor
        if storage is None:
            storage = torch.UntypedStorage(host_storage.nbytes(), device="meta")
            self._memory.charge(storage, gpu, host_storage)
        empty = torch.empty(0, dtype=host.dtype, device=META)
        return empty.set_(storage, host.storage_offset(), host.size(), host.stride())

    def _run_view(
        self, operation: Operation, args: Arguments, kwargs: Keywords, gpu: SimGpu
    ) -> Any:
        """Views and resizes change no value: the `meta` kernel alone tells the new geometry."""
        with in_kernel():
            result = operation.kernel(*args, **on_gpu(kwargs, META))
        for tensor in tensors_in((result,), []):
            allocation = self._memory.charge(storage_of(tensor), gpu)
            if allocation.host is None:
                self._memory.bind(allocation, torch.UntypedStorage(allocation.nbytes))
        return result

    def _predict(self, operation: Operation, args: Arguments, kwargs: Keywords, gpu: SimGpu) -> Any:
        """Return the result without values, charged, or None where sizes depend on values."""
        if not operation.may_be_large(tensors_in((*args, *kwargs.values()), [])):
            return None
        if any(name is not None for name in operation.written) or operation.name in _HOST_RESULTS:
            return None
        try:
            with in_kernel():
                result = operation.kernel(*args, **on_gpu(kwargs, META))
        except (RuntimeError, NotImplementedError, TypeError, ValueError, IndexError):
            return None  # the host's kernel decides, and says what is wrong if anything is
        charge_all(self._memory, result, gpu)
        return result

    def _run_on_host(
        self,
        operation: Operation,
        args: Arguments,
        kwargs: Keywords,
        gpu: SimGpu | None = None,
    ) -> Any:
        host_args = [map_tensors(self.host, value) for value in args]
        host_kwargs = {name: map_tensors(self.host, value) for name, value in kwargs.items()}
        host_kwargs = on_gpu(host_kwargs, CPU)
        if gpu is not None and operation.is_random and host_kwargs.get("generator") is None:
            with gpu.generator.in_charge():
                return operation.kernel(*host_args, **host_kwargs)
        return operation.kernel(*host_args, **host_kwargs)

    def _fill(self, sized: Any, result: Any, gpu: SimGpu) -> None:
        """Put the values of the host's `result` behind the tensors that were sized before."""
        pairs = zip(tensors_in((sized,), []), tensors_in((result,), []), strict=True)
        for tensor, host in pairs:
            allocation = self._memory.charge(storage_of(tensor), gpu)
            storage = storage_of(host)
            if allocation.host is None and _same_geometry(tensor, host):
                self._memory.bind(allocation, storage)
                continue
            if allocation.host is None:
                self._memory.bind(allocation, torch.UntypedStorage(allocation.nbytes))
            # Of some results the host has none: statistics that evaluation does not compute.
            if allocation.host is not storage and host.numel():
                self.host(tensor).copy_(host)

    def _to_gpu(
        self, operation: Operation, args: Arguments, kwargs: Keywords, result: Any, gpu: SimGpu
    ) -> Any:
        adopt = partial(self.adopt, gpu=gpu)
        if operation.makes_nothing:
            self._follow_resize(operation, args, kwargs, result, gpu)
            return written_arguments(operation, args, kwargs)
        if len(operation.written) == 1:
            return map_tensors(adopt, result)
        on_host = _HOST_RESULTS.get(operation.name, ())
        return tuple(
            operation.argument(name, args, kwargs)
            if name is not None
            else value
            if index in on_host
            else map_tensors(adopt, value)
            for index, (name, value) in enumerate(zip(operation.written, result, strict=True))
        )

    def _follow_resize(
        self, operation: Operation, args: Arguments, kwargs: Keywords, result: Any, gpu: SimGpu
    ) -> None:
        """Give `out=` tensors the size that the host's kernel gave their host side."""
        if not operation.may_resize:
            return
        results = result if isinstance(result, tuple) else (result,)
        for name, host in zip(operation.written, results, strict=True):
            tensor = operation.argument(name or "", args, kwargs)
            if isinstance(tensor, torch.Tensor) and tensor.shape != host.shape:
                tensor.resize_(host.shape)
                allocation = self._memory.charge(storage_of(tensor), gpu)
                self._memory.bind(allocation, torch.UntypedStorage(allocation.nbytes))
                self.host(tensor).copy_(host)


def on_gpu(kwargs: Keywords, device: torch.device) -> Keywords:
    """Return the keywords of a call on the GPU as a kernel for `device` takes them."""
    if kwargs.get("layout") not in (None, torch.strided):
        raise not_simulated(SPARSE)
    changed = {**kwargs, "device": device} if "device" in kwargs else dict(kwargs)
    if changed.get("pin_memory"):
        changed["pin_memory"] = False
    if device.type == "meta" and changed.get("generator") is not None:
        changed["generator"] = None
    return changed


def charge_all(memory: Memory, result: Any, gpu: SimGpu) -> None:
    """Charge every storage in `result`, new ones to `gpu`."""
    for tensor in tensors_in((result,), []):
        if is_meta(tensor):
            memory.charge(storage_of(tensor), gpu)


def storage_of(tensor: torch.Tensor) -> torch.UntypedStorage:
    """Return the storage of a tensor on the GPU; sparse ones have none and are refused."""
    if tensor.layout is not torch.strided:
        raise not_simulated(SPARSE)
    return tensor.untyped_storage()


def written_arguments(operation: Operation, args: Arguments, kwargs: Keywords) -> Any:
    """Return what an operation returns that only writes into its arguments."""
    results = [
        operation.argument(name, args, kwargs) for name in operation.written if name is not None
    ]
    return None if not results else results[0] if len(results) == 1 else tuple(results)


def _same_geometry(tensor: torch.Tensor, host: torch.Tensor) -> bool:
    return (
        tensor.dtype == host.dtype
        and tensor.size() == host.size()
        and tensor.stride() == host.stride()
        and tensor.storage_offset() == host.storage_offset()
        and tensor.untyped_storage().nbytes() == host.untyped_storage().nbytes()
    )
