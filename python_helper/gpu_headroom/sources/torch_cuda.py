"""PyTorch's CUDA allocator (ROCm answers to the same names).

Reads `torch._C` directly: `torch.cuda.memory_stats` flattens and sorts about a
hundred keys in Python on every call, and several of its neighbours initialise CUDA.
"""

# ruff: noqa: SLF001 -- torch._C has the only calls that start nothing and cost little

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from ..snapshot import DeviceReading, FrameworkReading

if TYPE_CHECKING:
    from .. import wire


class _Properties(NamedTuple):
    name: str | None
    uuid: str | None
    total_bytes: int | None


class TorchCuda:
    """Source for PyTorch on CUDA and ROCm."""

    name = "torch"

    def __init__(self) -> None:
        self._properties: dict[tuple[int, bool], _Properties] = {}

    def state(self) -> wire.State:
        """Say whether CUDA is up, from flags alone: no call that could start it."""
        torch = _imported("torch")
        cuda = _imported("torch.cuda")
        if torch is None or cuda is None:
            return "no_framework"
        if cuda.is_initialized():
            return "live" if hasattr(torch._C, "_cuda_memoryStats") else "no_gpu"
        if _simulated():
            return "not_initialised"
        version = torch.version
        built_for_gpu = getattr(version, "cuda", None) or getattr(version, "hip", None)
        return "not_initialised" if built_for_gpu else "no_gpu"

    def read(self) -> tuple[DeviceReading, ...]:
        """Read each device that already has a context; makes none."""
        torch = sys.modules["torch"]
        devices = range(torch._C._cuda_getDeviceCount())
        return tuple(self._read(torch, index) for index in devices if _in_use(torch, index))

    def _read(self, torch: Any, index: int) -> DeviceReading:
        stats = torch._C._cuda_memoryStats(index)
        in_use = _bytes(stats, "allocated_bytes", "current")
        reserved = _bytes(stats, "reserved_bytes", "current")
        simulated = _simulated()
        properties = self._properties_of(torch, index, simulated)
        free, total = _card(torch, index)
        total = properties.total_bytes if total is None else total
        fraction = _fraction(torch, index)
        limited = fraction < 1 and total is not None
        return DeviceReading(
            index=index,
            backend="cuda",
            name=properties.name,
            uuid=properties.uuid,
            simulated=simulated,
            capacity_bytes=int(total * fraction) if limited and total is not None else total,
            capacity_limited=limited,
            shared_with_host=False,
            free_bytes=free,
            outside_bytes=_outside(total, free, reserved),
            others_bytes=None,
            frameworks=(
                FrameworkReading(
                    name=self.name,
                    in_use_bytes=in_use or 0,
                    cached_bytes=None if reserved is None else max(0, reserved - (in_use or 0)),
                    peak_in_use_bytes=_bytes(stats, "allocated_bytes", "peak"),
                    alloc_retries=stats.get("num_alloc_retries"),
                    ooms=stats.get("num_ooms"),
                ),
            ),
        )

    def _properties_of(self, torch: Any, index: int, simulated: bool) -> _Properties:
        known = self._properties.get((index, simulated))
        if known is None:
            found = torch.cuda.get_device_properties(index)
            uuid = getattr(found, "uuid", None)  # since PyTorch 2.4 or so
            known = self._properties[index, simulated] = _Properties(
                getattr(found, "name", None),
                None if uuid is None else str(uuid),
                getattr(found, "total_memory", None),
            )
        return known


def _imported(name: str) -> Any:
    """Return a module that is imported whole, else `None`."""
    module = sys.modules.get(name)
    if module is None or getattr(getattr(module, "__spec__", None), "_initializing", False):
        return None
    return module


def _simulated() -> bool:
    simulator = _imported("gpu_headroom.simulate")
    return simulator is not None and bool(simulator.active())


def _in_use(torch: Any, index: int) -> bool:
    """Whether this process has a context on the device: asking others would make one."""
    has_context = getattr(torch._C, "_cuda_hasPrimaryContext", None)  # since PyTorch 2.4
    if has_context is not None:
        return bool(has_context(index))
    stats = torch._C._cuda_memoryStats(index)
    return bool(_bytes(stats, "reserved_bytes", "peak"))


def _bytes(stats: dict[str, Any], key: str, figure: str) -> int | None:
    value: int | None = stats.get(key, {}).get("all", {}).get(figure)
    return value


def _card(torch: Any, index: int) -> tuple[int | None, int | None]:
    """Free and total bytes of the card by its driver; unknown where it refuses."""
    try:
        free, total = torch.cuda.mem_get_info(index)
    except (RuntimeError, AttributeError):
        return None, None
    return free, total


def _fraction(torch: Any, index: int) -> float:
    # The public getter would initialise CUDA; this one only reads the allocator.
    getter = getattr(torch._C, "_cuda_getMemoryFraction", None)
    return 1.0 if getter is None else float(getter(index))


def _outside(total: int | None, free: int | None, reserved: int | None) -> int | None:
    if total is None or free is None or reserved is None:
        return None
    return max(0, total - free - reserved)
