"""Scatter, gather and broadcast between GPUs for `DataParallel`, which PyTorch has in C++.

Of NCCL there is only the sum that `DataParallel` uses. What needs one process for each GPU is not
simulated, and raises an error.
"""

from __future__ import annotations

from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import torch
import torch.cuda.nccl
import torch.distributed
from torch._utils import (
    _flatten_dense_tensors,
    _reorder_tensors_as,
    _unflatten_dense_tensors,
)
from torch.nn.parallel import DistributedDataParallel, _functions

from .torch_internals import without_torch_function
from .unsupported import guarded
from .values import Values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .machine import Machine
    from .patches import Patches

Tensors = list[torch.Tensor]

_HOST = -1


def put_parallel(patches: Patches, machine: Machine) -> None:
    """Patch `torch.nn.DataParallel` to use the GPUs, and `torch.distributed` to refuse them."""
    patches.put_all(
        torch._C,  # noqa: SLF001 -- the seam itself
        {
            "_scatter": _scatter,
            "_gather": _gather,
            "_broadcast": _broadcast,
            "_broadcast_coalesced": _broadcast_coalesced,
        },
    )
    patches.put(torch.cuda.nccl, "is_available", _on_different_gpus)
    patches.put(torch.cuda.nccl, "reduce", partial(_reduce, machine))
    patches.put(_functions, "_streams", None)  # a list of the devices that there once were
    _put_refusals(patches, machine)


def _scatter(
    tensor: torch.Tensor,
    devices: Sequence[int],
    chunk_sizes: Sequence[int] | None = None,
    dim: int = 0,
    streams: Sequence[Any] | None = None,
) -> Tensors:
    chunks = (
        tensor.chunk(len(devices), dim)
        if chunk_sizes is None
        else tensor.split(list(chunk_sizes), dim)
    )
    copies = []
    for chunk, device, stream in zip_longest(chunks, devices[: len(chunks)], streams or ()):
        with torch.cuda.stream(stream):
            copies.append(chunk.to(_place(device)))
    return copies


def _gather(tensors: Sequence[torch.Tensor], dim: int, destination: int | None) -> torch.Tensor:
    shape, first = list(tensors[0].shape), tensors[0]
    shape[dim] = sum(tensor.shape[dim] for tensor in tensors)
    result = torch.empty(shape, dtype=first.dtype, device=_place(destination))
    parts = result.split([tensor.shape[dim] for tensor in tensors], dim)
    for part, tensor in zip(parts, tensors, strict=True):
        part.copy_(tensor)
    return result


def _broadcast(tensor: torch.Tensor, devices: Sequence[int]) -> Tensors:
    own = tensor.get_device()
    return [tensor if device == own else tensor.to(_place(device)) for device in devices]


def _broadcast_coalesced(
    tensors: Sequence[torch.Tensor], devices: Sequence[int], buffer_size: int
) -> list[Tensors]:
    """Copy the tensors to all devices, by way of flat buffers that the copies are views of."""
    if any(tensor.get_device() != devices[0] for tensor in tensors):
        raise RuntimeError("all tensors must be on devices[0]")
    copies: list[Tensors] = [[] for _ in devices[1:]]
    for chunk in _chunks(tensors, buffer_size):
        flat = _flatten_dense_tensors(chunk)
        for copied, device in zip(copies, devices[1:], strict=True):
            there = flat.to(_place(device))
            copied += [part.data for part in _unflatten_dense_tensors(there, chunk)]
        del flat
    return [list(tensors), *(list(_reorder_tensors_as(copy, tensors)) for copy in copies)]


def _chunks(tensors: Sequence[torch.Tensor], buffer_size: int) -> list[Tensors]:
    """Group tensors of one type; a group ends with the tensor that brings it to `buffer_size`.

    C++ groups so, and PyTorch's Python function of the same name ends a group before that tensor.
    """
    full: list[Tensors] = []
    growing: dict[torch.dtype, Tensors] = {}
    for tensor in tensors:
        group = growing.setdefault(tensor.dtype, [])
        group.append(tensor)
        if sum(each.numel() * each.element_size() for each in group) >= buffer_size:
            full.append(growing.pop(tensor.dtype))
    return [*full, *growing.values()]


def _on_different_gpus(tensors: Sequence[torch.Tensor]) -> bool:
    """Whether NCCL could take them: each is contiguous and has a GPU for itself."""
    gpus = {tensor.get_device() for tensor in tensors}
    return len(gpus) == len(tensors) and all(
        tensor.is_cuda and tensor.is_contiguous() for tensor in tensors
    )


def _reduce(
    machine: Machine, inputs: Sequence[torch.Tensor], output: torch.Tensor, root: int = 0
) -> None:
    """Sum `inputs` into `output` as NCCL does, which takes no memory from PyTorch's allocator."""
    del root  # the GPU that `output` is on already
    compute = machine.compute
    if isinstance(compute, Values):
        with without_torch_function():
            total = compute.host(output)
            total.zero_()
            for tensor in inputs:
                total.add_(compute.host(tensor))


def _place(ordinal: int | None) -> torch.device:
    if ordinal is None:
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu") if ordinal == _HOST else torch.device("cuda", ordinal)


def _put_refusals(patches: Patches, machine: Machine) -> None:
    if not torch.distributed.is_available():
        return
    distributed = torch.distributed
    init_process_group = guarded(
        distributed.init_process_group,
        lambda backend=None, *_, **__: "nccl" in str(backend).lower(),
        partial(
            RuntimeError,
            "NCCL is not simulated: the simulated GPUs work in one process. "
            'For tensors on the host use backend="gloo".',
        ),
    )
    for owner in (distributed, distributed.distributed_c10d):
        patches.put(owner, "init_process_group", init_process_group)
    construct = guarded(
        DistributedDataParallel.__init__,
        lambda _self, module, *_, **__: any(map(machine.holds, module.parameters())),
        partial(
            RuntimeError,
            "DistributedDataParallel is not simulated: the simulated GPUs work in one "
            "process. torch.nn.DataParallel can use several of them.",
        ),
    )
    patches.put(DistributedDataParallel, "__init__", construct)
