"""Causes that are visible only in the other workers: a shared GPU, and uneven ranks."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ..advice.remedy import Offer, Shown
from ..text.headline import named
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..protocol.generated.wire import Cause, GpuWorker, Message, Remedy, Report, WorkerGpu

TEXTS = {
    "cause.shared-gpu": (
        "**{names} hold {held_bytes} of the same GPU**: without them the request would have fitted."
    ),
    "cause.shared-gpu.evidence": (
        "{count} workers use this GPU. It holds what all of them need at the same time."
    ),
    "cause.uneven-ranks": "**{name} holds {more_bytes} more than the others.**",
    "cause.uneven-ranks.evidence": (
        "{own_bytes} were in use there, {others_bytes} on a usual one of the others ({count}). The "
        "fullest decides how large the batch of all may be."
    ),
    "remedy.free-idle": "Free what idle workers keep",
    "remedy.free-idle.note": (
        "Idle now: {names}. *Free* under *Workers* in the panel frees what failed tasks have "
        "left there, and what is cached. Results are kept."
    ),
    "remedy.own-gpu.dask": "Run one such task on a GPU at a time",
    "remedy.own-gpu.dask.note": (
        "Start workers with `resources=dict(GPU=1)` and submit with the same, or let "
        "`dask_cuda.LocalCUDACluster` give each worker a GPU of its own."
    ),
    "remedy.own-gpu.rank": "Give each rank a GPU of its own",
    "remedy.own-gpu.rank.note": (
        "`torch.cuda.set_device(rank)` as the first line of what is launched, before anything "
        'uses CUDA; `map_location` where a checkpoint was saved from `"cuda:0"`.'
    ),
    "remedy.own-gpu.ray": "Let Ray count the GPU",
    "remedy.own-gpu.ray.note": (
        "`num_gpus=1` for tasks and actors that use it: Ray then starts no second one on the GPU. "
        "`max_calls=1` for a task ends its process with it, and what that has cached."
    ),
    "remedy.even-ranks": "Give each rank as much as the others",
    "remedy.even-ranks.note": (
        "`DistributedSampler` and the same batch size everywhere; what only one rank needs, such "
        'as a checkpoint, is loaded with `map_location="cpu"`.'
    ),
}
_FRESH_S = 15.0
_MUCH = 0.05  # of a GPU's capacity
_UNEVEN = 1.25
_NAMED = 4


class Beside(NamedTuple):
    """Causes and remedies found in the other workers' readings, likeliest first."""

    causes: list[Cause]
    remedies: list[Remedy]


def told_beside(report: Report, gpus: Sequence[WorkerGpu]) -> Report:
    """Return a report with the causes and remedies found in the other workers' readings.

    Only readings of the last 15 s count; without one of the worker itself the report is returned
    unchanged.
    """
    own = _own(report, gpus)
    if own is None:
        return report
    findings = Beside([], [])
    _look_on_gpu(report, *own, findings)
    _look_at_ranks(report, own[1], gpus, findings)
    own_causes = [*([report["cause"]] if report["cause"] else []), *report["further_causes"]]
    # Without the others on this GPU the request would have fitted, so this cause is first; uneven
    # ranks explain only a part.
    first = [cause for cause in findings.causes if cause["rule"] == "shared-gpu"]
    causes = [*first, *own_causes[:1], *(cause for cause in findings.causes if cause not in first)]
    causes += own_causes[1:]
    remedies = [*report["remedies"], *findings.remedies]
    likeliest = causes[0] if causes else None
    return {**report, "cause": likeliest, "further_causes": causes[1:], "remedies": remedies}


def _own(report: Report, gpus: Sequence[WorkerGpu]) -> tuple[WorkerGpu, GpuWorker] | None:
    worker = report["worker"]
    for gpu in gpus if worker is not None and worker["pid"] is not None else ():
        for process in gpu["workers"]:
            # Hosts are not compared: an error may have an address where readings have a name.
            if (
                worker is not None
                and process["pid"] == worker["pid"]
                and process["age_s"] < _FRESH_S
            ):
                return gpu, process
    return None


def _look_on_gpu(report: Report, gpu: WorkerGpu, own: GpuWorker, found: Beside) -> None:
    processes = [
        process
        for process in gpu["workers"]
        if process is not own and process["age_s"] < _FRESH_S and _held(process)
    ]
    held = sum(map(_held, processes))
    needed, free = report["requested_bytes"], report["available_bytes"]
    capacity = gpu["capacity_bytes"]
    if not capacity or held < _MUCH * capacity or needed is None or needed > (free or 0) + held:
        return
    claim = message("cause.shared-gpu", TEXTS, names=_names(processes), held_bytes=held)
    count = len(processes) + gpu["more_workers"] + 1
    evidence = message("cause.shared-gpu.evidence", TEXTS, count=count)
    found.causes.append(_cause("shared-gpu", claim, evidence, held))
    idle = [process for process in processes if "free" in process["actions"]]
    if idle:
        idle_bytes = sum(map(_held, idle))
        offer = _suggestion("free-idle", idle_bytes, measured=False, names=_names(idle))
        found.remedies.append(offer)
    if f"remedy.own-gpu.{own['engine']}" in TEXTS:
        found.remedies.append(_suggestion("own-gpu", held, f".{own['engine']}"))


def _look_at_ranks(
    report: Report, own: GpuWorker, gpus: Sequence[WorkerGpu], found: Beside
) -> None:
    held = report["in_use_bytes"]
    ranks_bytes = [
        process["in_use_bytes"]
        for gpu in gpus
        for process in gpu["workers"]
        if process["engine"] == "rank" and process is not own and process["age_s"] < _FRESH_S
    ]
    if own["engine"] != "rank" or not ranks_bytes or held is None:
        return
    median_bytes = int(median(ranks_bytes))
    capacity = report["capacity_bytes"] or 0
    if held < _UNEVEN * median_bytes or held - median_bytes < _MUCH * capacity:
        return
    sizes = {"own_bytes": held, "others_bytes": median_bytes}
    claim = message("cause.uneven-ranks", TEXTS, name=_name(own), more_bytes=held - median_bytes)
    evidence = message("cause.uneven-ranks.evidence", TEXTS, count=len(ranks_bytes), **sizes)
    found.causes.append(_cause("uneven-ranks", claim, evidence, held - median_bytes))
    found.remedies.append(_suggestion("even-ranks", held - median_bytes))


def _cause(rule: str, claim: Message, evidence: Message, size: int) -> Cause:
    return {"rule": rule, "claim": claim, "evidence": evidence, "bytes": size}


def _suggestion(
    remedy: str, size: int, of: str = "", *, measured: bool = True, names: str = ""
) -> Remedy:
    text_key = f"remedy.{remedy}{of}"
    title, note = (message(key, TEXTS, names=names) for key in (text_key, f"{text_key}.note"))
    shown = Shown(bytes=size, measured=measured)
    return Offer(id=remedy, title=title, note=note, shown=shown).remedy


def _names(workers: Sequence[GpuWorker]) -> str:
    return ", ".join([_name(worker) for worker in workers[:_NAMED]])


def _held(worker: GpuWorker) -> int:
    return worker["in_use_bytes"] + worker["cached_bytes"]


def _name(worker: GpuWorker) -> str:
    name = worker["name"] or named(worker["engine"], worker["rank"])
    return name[:1].upper() + name[1:]
