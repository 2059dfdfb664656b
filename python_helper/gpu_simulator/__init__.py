"""Simulated GPUs for machines without one: `simulate("4 GiB", compute="cpu")`.

Importing this imports no PyTorch and changes nothing.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .on_import import install_on_import
from .sizes import parse_capacities, parse_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .simulation import Simulation

__all__ = ["active", "install_on_import", "simulate"]

_COMPUTE = ("meta", "cpu")


def simulate(
    capacity: int | str | Sequence[int | str] = "16 GiB",
    compute: str = "meta",
    outside: int | str = "420 MiB",
    devices: int = 1,
) -> Simulation:
    """Give this process simulated CUDA devices until `.stop()`, or for a `with` block.

    There are `devices` of them, or one for each capacity of a list; "16GiB*2" is short for two.
    CUDA_VISIBLE_DEVICES hides and orders them as it does real ones, until the first use.
    `capacity` is a GPU's memory and `outside` the memory used on each GPU outside PyTorch in this
    process: the driver context, and beyond 420 MiB other programs. Both are bytes, or text such as
    "4 GiB". With `compute="meta"` tensors on a GPU have sizes and no values, and use no memory;
    with `compute="cpu"` the host computes real values, which need host memory of the same size.

    Each device has the name "Simulated GPU". PyTorch's own `torch.cuda` runs on a model of its
    caching allocator, and a request that does not fit raises a real `torch.OutOfMemoryError`.

    Limits. All GPUs work for one process: no NCCL, no DistributedDataParallel. Settings of the
    allocator have no effect. Buffers inside of kernels are estimates, cuBLAS's workspace is a
    constant, and attention never stores its matrix of scores, as with fused kernels.
    Backward runs on the calling thread. `torch.compile` runs the program as it is. Sparse, nested
    and quantized tensors are not supported, and random numbers differ from CUDA's. With "meta",
    sizes that depend on values are the largest possible or zero, so a loop that waits for a value
    may never end. With "cpu", an operation whose result may be large is charged before it runs,
    others after. Threads started before the simulation do not have the GPU. Timings mean nothing.
    No result is evidence about CUDA itself.

    Raises `TypeError` or `ValueError` for invalid arguments, `ImportError` without PyTorch, and
    `RuntimeError` if PyTorch has a real GPU, or if a simulated one already has tensors (an empty
    one is replaced).
    """
    capacities = parse_capacities(capacity, devices)
    outside_bytes = parse_size(outside, name="outside")
    if compute not in _COMPUTE:
        raise ValueError(f'compute must be "meta" or "cpu", not {compute!r}.')
    if outside_bytes >= min(capacities):
        raise ValueError(
            "capacity must be more than what is used outside PyTorch, but "
            f"{min(capacities)} bytes are not more than {outside_bytes}."
        )
    try:
        import torch  # noqa: F401 -- to say in one sentence that it is missing
    except ImportError as error:
        raise ImportError(
            "The simulated GPU needs PyTorch, which is not installed in this environment."
        ) from error
    from .simulation import Simulation

    return Simulation(capacities, outside_bytes, compute)  # type: ignore[arg-type]  # checked


def active() -> Simulation | None:
    """Return the simulation that is in use, or None. Imports nothing."""
    module = sys.modules.get(f"{__name__}.simulation")
    # Asked from other threads, also while that module is only half imported.
    simulation = getattr(module, "Simulation", None)
    return None if simulation is None else simulation.active()
