"""Of many workers a page receives the sixteen on the fullest GPUs, and how many there are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gpu_headroom.workers.gpus import Answer, WorkerReading, answer, worker_of
from gpu_headroom.workers.requests import WorkerRequests

DEVICE: dict[str, Any] = {
    "index": 0,
    "uuid": None,
    "name": "Tesla T4",
    "simulated": False,
    "capacity_bytes": 1000,
    "in_use_bytes": 1,
    "cached_bytes": 0,
    "taken_bytes": None,
}


def workers() -> list[WorkerReading]:
    """A thousand, ten on each GPU; the GPU of the last ten is the fullest."""
    return [
        worker_of(
            f"dask:{number}",
            (None, number),
            {
                "pid": number,
                "host": f"node{number // 80}",
                "devices": [
                    {**DEVICE, "uuid": f"GPU-{number // 10:03}", "taken_bytes": number // 10}
                ],
            },
            1.0,
            idle=True,
        )
        for number in range(1000)
    ]


def reply(result: Answer) -> Any:
    """What a page receives of an answer."""
    host = SimpleNamespace(sampler=SimpleNamespace(latest=None))
    engines: Any = SimpleNamespace(answer=lambda _: result, short=lambda _: None, host=host)
    return WorkerRequests(engines).by_kind["workers"]({"id": "1", "filter": ""})


def test_the_fullest_sixteen_are_sent() -> None:
    """In the order of their GPUs, which count those that are left out."""
    result = reply(answer(workers(), ""))
    assert result["total"] == 1000
    assert [gpu["uuid"] for gpu in result["gpus"]] == ["GPU-099", "GPU-098"]
    assert [(len(gpu["workers"]), gpu["more_workers"]) for gpu in result["gpus"]] == [
        (8, 2),
        (8, 2),
    ]
    assert sum(gpu["in_use_bytes"] for gpu in result["gpus"]) == 20


def test_a_filter_finds_workers_hosts_and_gpus() -> None:
    """However full they are; a GPU keeps the sums of all of its workers."""
    result = reply(answer(workers(), "Dask worker 137"))
    (gpu,) = result["gpus"]
    assert [worker["pid"] for worker in gpu["workers"]] == [137]
    assert (gpu["in_use_bytes"], result["total"]) == (10, 1)
    assert answer(workers(), "node12").total == 40
    assert answer(workers(), "gpu-042").total == 10
    assert answer(workers(), "node99") == Answer(1000, [], 0)
