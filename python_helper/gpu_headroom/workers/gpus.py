"""The GPUs that workers use, assembled from the readings of each worker.

Pure, and of the standard library only: also runs where an engine keeps its state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..protocol.generated.wire import Followed, GpuWorker, Message, WorkerGpu

MOST = 16  # GPUs of an answer, workers that a front end receives
STALE_S = 10.0  # without a reading; a thousand Dask workers send one each every six seconds
_MOST_WORKERS = 8  # per GPU
_MOST_DEVICES = 64
_LONGEST = 200  # characters of a name
_NUMBERED = {"dask": "Dask worker", "ipyparallel": "engine"}  # their names on screen
_SIZE, _TEXT = (int, type(None)), (str, type(None))
_FIELDS: dict[str, tuple[type, ...]] = {
    "index": (int,),
    "uuid": _TEXT,
    "name": _TEXT,
    "simulated": (bool,),
    "capacity_bytes": _SIZE,
    "in_use_bytes": (int,),
    "cached_bytes": (int,),
    "taken_bytes": _SIZE,
}


class WorkerReading(NamedTuple):
    """Reading of a process that works for this notebook; `said` are its fields on each GPU.

    Each of `devices` has `index`, `uuid`, `name`, `simulated`, `capacity_bytes`, `in_use_bytes`,
    `cached_bytes` and `taken_bytes`, the bytes of the GPU in use by all processes.
    """

    host: str
    said: dict[str, Any]
    devices: Sequence[dict[str, Any]]


class Answer(NamedTuple):
    """The fullest GPUs with the workers that match a filter; `total` counts all matches."""

    in_use_bytes: int  # of all workers
    gpus: list[WorkerGpu]
    total: int


class Done(NamedTuple):
    """The outcome of freeing memory of a worker, or of ending it."""

    status: str
    said: Message


def engine_of(
    engine: str,
    counts: tuple[int, int],
    state: str = "measured",
    silent_s: float | None = None,
    said: Message | None = None,
) -> Followed:
    """Return an engine's wire object; `counts` are all of its workers, and the live ones."""
    state = state if silent_s is None else "silent"
    status: Any = {"engine": engine, "total": counts[0], "live": counts[1], "state": state}
    status |= {"silent_s": silent_s, "message": said}
    return cast("Followed", status)


def worker_of(
    worker_id: str,
    names: tuple[str | None, int | None],
    said: dict[str, Any],
    age_s: float,
    *,
    idle: bool,
) -> WorkerReading:
    """Return the reading of a worker that the kernel has not started.

    `names` are its name and its number, either of which may be `None`.
    """
    on_gpu = {
        "id": worker_id,
        "engine": worker_id.partition(":")[0],
        "name": names[0],
        "rank": names[1],
        "pid": said["pid"],
        "state": "live" if age_s <= STALE_S else "stale",
        "age_s": age_s,
        "execution_count": None,
        "left_over": False,
        "actions": ["free"] if idle else [],
    }
    return WorkerReading(said["host"], on_gpu, said["devices"])


def reading_of(devices: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the readings of the devices (`DeviceReading`) that a framework uses here."""
    return [
        {
            **{key: getattr(device, key) for key in _FIELDS if key != "taken_bytes"},
            "taken_bytes": None
            if device.used_bytes is None
            else device.used_bytes + device.cached_bytes,
        }
        for device in devices
        if device.frameworks
    ]


def are_devices(said: object) -> bool:
    """Whether a value from another process has the shape that `reading_of` returns."""
    return type(said) is list and len(said) <= _MOST_DEVICES and all(map(_is_device, said))


def _is_device(said: object) -> bool:
    return (
        type(said) is dict
        and said.keys() == _FIELDS.keys()
        and all(type(said[key]) in kinds for key, kinds in _FIELDS.items())
        and all(value >= 0 for value in said.values() if type(value) is int)
        and all(len(value) <= _LONGEST for value in said.values() if type(value) is str)
    )


def answer(workers: Iterable[WorkerReading], text: str) -> Answer:
    """Return the GPUs whose workers match `text`, the one with the least headroom first."""
    gpus = gpus_of(workers)
    in_use_bytes = sum(gpu["in_use_bytes"] for gpu in gpus)
    if text:
        gpus = [match for gpu in gpus if (match := _matching(gpu, text.lower()))["workers"]]
    total = sum(len(gpu["workers"]) for gpu in gpus)
    return Answer(in_use_bytes, [cut(gpu, _MOST_WORKERS) for gpu in gpus[:MOST]], total)


def gpus_of(workers: Iterable[WorkerReading]) -> list[WorkerGpu]:
    """Return each GPU once, with all of its workers; GPUs with the same UUID are one."""
    groups: dict[str, list[tuple[WorkerReading, dict[str, Any]]]] = {}
    for worker in workers:
        for device in worker.devices:
            key = device["uuid"] or f"{worker.host}/{device['index']}"
            groups.setdefault(key, []).append((worker, device))
    gpus = [_gpu(key, pairs) for key, pairs in groups.items()]
    return sorted(gpus, key=lambda gpu: -share(gpu))


def _gpu(key: str, pairs: list[tuple[WorkerReading, dict[str, Any]]]) -> WorkerGpu:
    pairs.sort(key=lambda pair: (pair[0].said["state"] == "ended", -pair[1]["in_use_bytes"]))
    live_pairs = [pair for pair in pairs if pair[0].said["state"] != "ended"]
    host, first = pairs[0][0].host, pairs[0][1]
    in_use, cached = (
        sum(device[field] for _, device in live_pairs) for field in ("in_use_bytes", "cached_bytes")
    )
    # The newest reading has the current total of all processes.
    taken_bytes = next(
        (
            device["taken_bytes"]
            for _, device in sorted(live_pairs, key=lambda pair: pair[0].said["age_s"])
            if device["taken_bytes"] is not None
        ),
        None,
    )
    outside = None if taken_bytes is None else max(0, taken_bytes - in_use - cached)
    fields: Any = {
        **first,
        "id": key,
        "host": host,
        "used_bytes": None if outside is None else outside + in_use,
        "in_use_bytes": in_use,
        "cached_bytes": cached,
        "outside_bytes": outside,
        "workers": [
            {**worker.said, **{key: device[key] for key in ("in_use_bytes", "cached_bytes")}}
            for worker, device in pairs
        ],
        "more_workers": 0,
    }
    del fields["taken_bytes"]
    gpu: WorkerGpu = fields
    return gpu


def share(gpu: WorkerGpu) -> float:
    """Return used over capacity; -1.0 where either is unknown."""
    used, capacity = gpu["used_bytes"], gpu["capacity_bytes"]
    return -1.0 if used is None or not capacity else used / capacity


def _matching(gpu: WorkerGpu, text: str) -> WorkerGpu:
    """Return a GPU with its workers that match a text, or with all if its own names match."""
    if text in "\n".join([gpu["host"], gpu["name"] or "", gpu["uuid"] or ""]).lower():
        return gpu
    return {**gpu, "workers": [process for process in gpu["workers"] if text in _name(process)]}


def _name(worker: GpuWorker) -> str:
    number = f"{_NUMBERED.get(worker['engine'], 'rank')} {worker['rank']}"
    return (worker["name"] or number).lower()


def cut(gpu: WorkerGpu, most: int) -> WorkerGpu:
    """Return a GPU with its `most` largest workers at most."""
    workers, more = gpu["workers"], gpu["more_workers"]
    return {**gpu, "workers": workers[:most], "more_workers": max(0, len(workers) - most) + more}
