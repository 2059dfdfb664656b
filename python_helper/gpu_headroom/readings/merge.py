"""The readings of all sources merged per device, and the memory that none of them explains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..frameworks.view import DeviceFacts, driver_call
from ..text.messages import message
from .snapshot import DeviceReading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..frameworks.view import Backend, View
    from .snapshot import HostReading

    Groups = dict[tuple[Backend, int], list[View]]
    Stated = tuple[int | None, str]


_HOST = "/proc/meminfo"
_MAPPING = "note.mapping"


def merge(
    views: Iterable[View], gpus: Sequence[View], host: HostReading | None = None
) -> tuple[DeviceReading, ...]:
    """Return one reading per device from the frameworks' `views` and the driver's `gpus`.

    Devices are matched by UUID; where one side has none, by backend and index. Outside is the
    memory in use on the GPU that no framework has reserved.
    """
    groups: Groups = {}
    for view in views:
        groups.setdefault((view.backend, view.index), []).append(view)
    pairs = _pairs(groups, gpus)
    return tuple([_device(key, groups.get(key, []), pairs[key], host) for key in sorted(pairs)])


def _pairs(groups: Groups, gpus: Sequence[View]) -> dict[tuple[Backend, int], View | None]:
    """Match each device with the driver's GPU; GPUs that no framework uses become devices too."""
    uuids = {key: _together(views, "uuid") for key, views in groups.items()}
    remaining = list(gpus)
    pairs: dict[tuple[Backend, int], View | None] = {}
    for key, uuid in uuids.items():
        gpu = next((view for view in remaining if _is_same(key, uuid, view)), None)
        pairs[key] = gpu
        if gpu is not None:
            remaining.remove(gpu)
    for gpu in remaining:
        key = (gpu.backend, gpu.index)
        while key in pairs:  # a framework uses this index for another GPU: take a free one
            key = (gpu.backend, (key[1] + 1) % (len(pairs) + 1))
        pairs[key] = gpu
    return pairs


def _is_same(key: tuple[Backend, int], uuid: str | None, gpu: View) -> bool:
    if uuid is not None and gpu.uuid is not None:
        if plain_uuid(uuid) == plain_uuid(gpu.uuid):
            return True
        # A framework may know a MIG instance by the UUID of the whole GPU.
        if not gpu.uuid.startswith("MIG-"):
            return False
    return key == (gpu.backend, gpu.index)


def plain_uuid(uuid: str) -> str:
    """Return a UUID without the prefix that drivers write and frameworks omit."""
    return uuid.lower().removeprefix("gpu-").removeprefix("mig-")


def _device(
    key: tuple[Backend, int], views: Sequence[View], gpu: View | None, host: HostReading | None
) -> DeviceReading:
    group = [*views, gpu] if gpu is not None else views
    (total, total_source), (free, free_source) = _gpu(group, host)
    frameworks = tuple([view.framework for view in views if view.framework is not None])
    reserved = [
        framework.reserved_bytes for framework in frameworks if framework.reserved_bytes is not None
    ]
    outside = None
    if total is not None and free is not None and len(reserved) == len(frameworks):
        # GPU and allocators are read one after the other, so the difference may be slightly off.
        outside = max(0, total - free - sum(reserved))
    # A limit binds one framework, not the device that it shares with another.
    limit = views[0].limit_bytes if len(frameworks) == 1 else None
    limited = limit is not None and (total is None or limit < total)
    facts = {name: _together(group, name) for name in DeviceFacts.__slots__}
    if outside is not None and facts["others_bytes"] is not None:
        facts["others_bytes"] = min(facts["others_bytes"], outside)
    certain = any(view.uuid is not None for view in views)
    notes = [note for view in group for note in view.notes if not certain or note["id"] != _MAPPING]
    excess = sum(reserved) - (total or 0)
    if excess > 0 and total is not None and not facts["shared_with_host"]:
        notes.append(message("note.beyond_gpu", total_bytes=total, excess_bytes=excess))
    return DeviceReading(
        **{**facts, "backend": key[0], "index": key[1]},
        capacity_bytes=limit if limited else total,
        capacity_limited=limited,
        free_bytes=free,
        outside_bytes=outside,
        frameworks=frameworks,
        notes=tuple(notes),
        capacity_source=views[0].limit_source if limited else total_source,
        free_source=free_source,
    )


def _gpu(known: Sequence[View], host: HostReading | None) -> tuple[Stated, Stated]:
    """Return total and free bytes of the GPU; the host's where they share their memory.

    There `cudaMemGetInfo` counts the page cache as used, and NVIDIA has programs estimate by
    /proc/meminfo (docs.nvidia.com/dgx/dgx-spark/known-issues.html, "Guidance for reporting memory
    resources with unified memory architecture"; llama.cpp pull request 17368). Free is its
    MemAvailable; its SwapFree, which NVIDIA adds, is left out: a machine that swaps for the GPU
    hangs before anything fails (pytorch/pytorch issue 174358).
    """
    total = _stated((view.total_bytes, view.gpu_source) for view in known)
    available = None if host is None else host.machine_available_bytes
    if host is not None and available is not None and any(view.shared_with_host for view in known):
        total = _stated([total, (host.machine_total_bytes, _HOST)])
        return total, (available if total[0] is None else min(available, total[0]), _HOST)
    free = _stated((view.free_bytes, view.gpu_source) for view in known)
    gpu_view = next((view for view in known if view.ask_gpu is not None), None)
    if free[0] is None and gpu_view is not None and gpu_view.ask_gpu is not None:
        call = driver_call(gpu_view.backend)
        asked_free, asked_total = gpu_view.ask_gpu()
        free, total = _stated([(asked_free, call)]), _stated([(asked_total, call), total])
    if total[0] is not None and free[0] is not None and not 0 <= free[0] <= total[0]:
        free = None, ""
    return total, free


def _stated(values: Iterable[Stated]) -> Stated:
    """Return the first known value with the call it came from; `(None, "")` without one."""
    return next((value for value in values if value[0] is not None), (None, ""))


def _together(views: Sequence[View], name: str) -> Any:
    """Return a fact from the first view that has it; true if any view has it as true."""
    values = [value for view in views if (value := getattr(view, name)) is not None]
    return True if any(value is True for value in values) else next(iter(values), None)
