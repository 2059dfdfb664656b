"""A simulated GPU for machines without one: `simulate("4 GiB", compute="cpu")`.

Importing this imports no PyTorch and changes nothing.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .on_import import install_on_import
from .sizes import parse_size

if TYPE_CHECKING:
    from .simulation import Simulation

__all__ = ["active", "install_on_import", "simulate"]

_COMPUTE = ("meta", "cpu")


def simulate(
    capacity: int | str = "16 GiB",
    compute: str = "meta",
    outside: int | str = "420 MiB",
) -> Simulation:
    """Give this process a simulated CUDA device until `.stop()`, or for a `with` block.

    `capacity` is the card's memory and `outside` what is used on it by others than PyTorch in this
    process: the driver context, and beyond 420 MiB other programs. Both are bytes, or text such as
    "4 GiB". With `compute="meta"` tensors on the card have sizes and no values, and cost no memory;
    with `compute="cpu"` the host computes real values, which need host memory of the same size.

    The device is called "Simulated GPU". PyTorch's own `torch.cuda` answers from a model of its
    caching allocator, and too much raises a real `torch.OutOfMemoryError`.

    Limits. One device; no NVML. The model knows PyTorch's default allocator settings and one
    stream: no expandable segments, memory pools or CUDA graphs. Buffers inside of kernels are not
    counted, cuBLAS's workspace is a constant, and attention never stores its matrix of scores, as
    with fused kernels. Backward runs on the calling thread. `torch.compile` runs the program as it
    is; sparse tensors, `torch.cuda.FloatTensor` and its kin, and random numbers equal to CUDA's are
    not there. With "meta", what depends on values takes the largest size or is zero, so a loop that
    waits for a value may never end. With "cpu", an operation whose result may be large is charged
    before it runs, others after. Threads that began before the simulation do not see the card.
    Timings say nothing. Nothing here proves anything about CUDA itself.

    Raises `TypeError` or `ValueError` for arguments that make no sense, `ImportError` without
    PyTorch, and `RuntimeError` where PyTorch sees a real GPU, or where a simulated one holds
    tensors already (an empty one is replaced).
    """
    capacity_bytes = parse_size(capacity, name="capacity")
    outside_bytes = parse_size(outside, name="outside")
    if compute not in _COMPUTE:
        raise ValueError(f'compute must be "meta" or "cpu", not {compute!r}.')
    if outside_bytes >= capacity_bytes:
        raise ValueError(
            f"capacity must be more than what is used outside PyTorch, but {capacity_bytes} bytes "
            f"are not more than {outside_bytes}."
        )
    try:
        import torch  # noqa: F401 -- to say in one sentence that it is missing
    except ImportError as error:
        raise ImportError(
            "The simulated GPU needs PyTorch, which is not installed in this environment."
        ) from error
    from .simulation import Simulation

    return Simulation(capacity_bytes, outside_bytes, compute)  # type: ignore[arg-type]  # checked


def active() -> Simulation | None:
    """Return the simulation that is in use, or None. Imports nothing."""
    module = sys.modules.get(f"{__name__}.simulation")
    # Asked from other threads, also while that module is only half imported.
    simulation = getattr(module, "Simulation", None)
    return None if simulation is None else simulation.active()


class _CallableModule(ModuleType):
    """Importing this module hides the package's function of the same name: be it as well."""

    def __call__(self, *args: Any, **kwargs: Any) -> Simulation:
        return simulate(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
