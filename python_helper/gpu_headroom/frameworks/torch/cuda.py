"""PyTorch's CUDA allocator (ROCm answers to the same names: declared, not run).

Reads by names that are not public (`private.py`): several public ones initialise CUDA.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from ..imported import imported, simulation
from ..view import FrameworkReading, View
from . import private

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...protocol import wire
    from ..view import Backend, Card


class Properties(NamedTuple):
    """What never changes of a device; `None` is unknown."""

    name: str | None
    uuid: str | None
    total_bytes: int | None
    integrated: bool


PROPERTIES = "get_device_properties()"


class TorchCuda:
    """Source for PyTorch on CUDA and ROCm."""

    def __init__(self) -> None:
        self._properties: dict[tuple[int, bool], Properties] = {}

    def state(self) -> wire.State:
        """Say whether CUDA is up, from flags alone: no call that could start it."""
        torch = imported("torch")
        cuda = imported("torch.cuda")
        if torch is None or cuda is None:
            return "no_framework"
        if cuda.is_initialized():
            return "live" if private.has_statistics() else "no_gpu"
        if simulation() is not None:
            return "not_initialised"
        version = torch.version
        built_for_gpu = getattr(version, "cuda", None) or getattr(version, "hip", None)
        return "not_initialised" if built_for_gpu else "no_gpu"

    def read(self) -> tuple[View, ...]:
        """Read each device that already has a context; makes none."""
        torch = sys.modules["torch"]
        devices = range(private.device_count())
        return tuple([self._read(torch, each) for each in devices if private.has_context(each)])

    def _read(self, torch: Any, index: int) -> View:
        simulated = simulation() is not None
        known = self._properties.get((index, simulated))
        if known is None:
            known = properties(torch.cuda.get_device_properties(index))
            self._properties[index, simulated] = known
        fraction = private.memory_fraction(index)
        limited = fraction < 1 and known.total_bytes is not None
        backend: Backend = "rocm" if getattr(torch.version, "hip", None) else "cuda"
        return View(
            index=index,
            backend=backend,
            name=known.name,
            uuid=known.uuid,
            simulated=simulated,
            shared_with_host=known.integrated,
            total_bytes=known.total_bytes,
            limit_bytes=int((known.total_bytes or 0) * fraction) if limited else None,
            framework=allocator_reading(private.statistics(index)),
            ask_card=lambda: _card(torch, index),
            card_source=PROPERTIES,
            limit_source="set_per_process_memory_fraction()",
        )


def properties(found: Any) -> Properties:
    """Return what PyTorch's device properties say; the UUID since PyTorch 2.4 or so."""
    uuid = getattr(found, "uuid", None)
    return Properties(
        getattr(found, "name", None),
        None if uuid is None else str(uuid),
        getattr(found, "total_memory", None),
        bool(getattr(found, "is_integrated", False)),
    )


def allocator_reading(stats: Mapping[str, Any]) -> FrameworkReading:
    """Return what the nested statistics of one of PyTorch's caching allocators say."""
    in_use = _bytes(stats, "allocated_bytes", "current") or 0
    reserved = _bytes(stats, "reserved_bytes", "current")
    return FrameworkReading(
        name="torch",
        in_use_bytes=in_use,
        cached_bytes=None if reserved is None else max(0, reserved - in_use),
        peak_in_use_bytes=_bytes(stats, "allocated_bytes", "peak"),
        alloc_retries=stats.get("num_alloc_retries"),
        ooms=stats.get("num_ooms"),
        allocated_total_bytes=_bytes(stats, "allocated_bytes", "allocated"),
        inactive_split_bytes=_bytes(stats, "inactive_split_bytes", "current"),
    )


def _bytes(stats: Mapping[str, Any], key: str, figure: str) -> int | None:
    value: int | None = stats.get(key, {}).get("all", {}).get(figure)
    return value


def _card(torch: Any, index: int) -> Card:
    """Free and total bytes of the card by its driver; unknown where it refuses."""
    try:
        free, total = torch.cuda.mem_get_info(index)
    except (RuntimeError, AttributeError):
        return None, None
    return free, total
