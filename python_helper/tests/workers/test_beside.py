"""What the other workers tell of one that ran out."""

from __future__ import annotations

from typing import Any

import pytest
from gpu_headroom.workers.beside import told_beside
from gpu_headroom.workers.gpus import WorkerReading, answer

GIB = 2**30


def reading(number: int, uuid: str, in_use: int, **keys: Any) -> WorkerReading:
    """A worker with one GPU of 16 GiB."""
    device = {
        "index": 0,
        "uuid": uuid,
        "name": "A card",
        "simulated": False,
        "capacity_bytes": 16 * GIB,
        "in_use_bytes": in_use,
        "cached_bytes": 0,
        "taken_bytes": None,
    }
    worker: dict[str, Any] = {
        "id": f"rank:{number}",
        "engine": "rank",
        "name": None,
        "rank": number,
        "pid": 100 + number,
        "state": "live",
        "age_s": 0.5,
        "execution_count": 3,
        "left_over": False,
        "actions": [],
    }
    return WorkerReading("here", {**worker, **keys}, [device])


def report(number: int, in_use: int, **keys: Any) -> Any:
    """As much of a report as is looked at."""
    return {
        "worker": {"engine": "rank", "rank": number, "pid": 100 + number, "host": None},
        "requested_bytes": 2 * GIB,
        "available_bytes": GIB,
        "in_use_bytes": in_use,
        "capacity_bytes": 16 * GIB,
        "cause": None,
        "further_causes": [],
        "remedies": [],
        **keys,
    }


def beside(failed: Any, *readings: WorkerReading) -> Any:
    """A report with what is said of it beside these workers."""
    return told_beside(failed, answer(readings, "").gpus)


@pytest.mark.parametrize(
    ("engine", "remedies"), [("rank", ["own-gpu"]), ("dask", ["own-gpu"]), ("process", [])]
)
def test_who_shares_the_gpu_is_named(engine: str, remedies: list[str]) -> None:
    """With what they hold, where the request would have fitted without it."""
    both = [reading(n, "GPU-1", 7 * GIB, engine=engine) for n in (0, 1)]
    result = beside(report(1, 7 * GIB), *both)
    assert result["cause"]["rule"] == "shared-gpu"
    assert result["cause"]["bytes"] == 7 * GIB
    assert "7.0 GiB of the same GPU" in result["cause"]["claim"]["text"]
    assert [remedy["id"] for remedy in result["remedies"]] == remedies


def test_idle_workers_of_the_gpu_are_named() -> None:
    """They may give back what failed there; one that is at work may not."""
    idle = reading(0, "GPU-1", 4 * GIB, engine="dask", actions=["free", "restart"])
    busy = reading(2, "GPU-1", 3 * GIB, engine="dask", actions=["restart"])
    result = beside(report(1, 7 * GIB), reading(1, "GPU-1", 7 * GIB, engine="dask"), idle, busy)
    first, _ = result["remedies"]
    assert (first["id"], first["kind"], first["effect_bytes"]) == (
        "free-idle",
        "suggestion",
        4 * GIB,
    )
    assert first["effect_quality"] == "estimated"  # what of it comes back is said afterwards
    assert first["note"]["text"].startswith("Idle now: Dask worker 0.")


@pytest.mark.parametrize(
    "readings",
    [
        [reading(0, "GPU-2", 7 * GIB)],  # a GPU of its own
        [reading(0, "GPU-1", GIB // 2, engine="dask")],  # hardly anything
        [reading(0, "GPU-1", 7 * GIB, age_s=60.0)],  # long ago
        [],
    ],
)
def test_silence_beats_a_guess(readings: list[WorkerReading]) -> None:
    """Where nothing is shared, or it is not known."""
    failed = report(1, 7 * GIB)
    assert beside(failed, reading(1, "GPU-1", 7 * GIB), *readings) == failed


def test_what_would_not_have_fitted_anyway_is_no_cause() -> None:
    """However much the others hold."""
    failed = report(1, 7 * GIB, requested_bytes=12 * GIB)
    both = [reading(n, "GPU-1", 7 * GIB) for n in (0, 1)]
    assert beside(failed, *both) == failed


def test_a_rank_that_is_fuller_than_the_others_is_named() -> None:
    """By how much, against a usual one."""
    sizes = {0: 12, 1: 8, 2: 9, 3: 8}
    ranks = [reading(n, f"GPU-{n}", size * GIB) for n, size in sizes.items()]
    result = beside(report(0, 12 * GIB), *ranks)
    assert result["cause"]["rule"] == "uneven-ranks"
    assert result["cause"]["bytes"] == 4 * GIB
    assert result["cause"]["claim"]["text"].startswith("**Rank 0 holds 4.0 GiB more")
    assert [remedy["id"] for remedy in result["remedies"]] == ["even-ranks"]


@pytest.mark.parametrize("size", [8, 9])
def test_ranks_that_are_alike_are_no_cause(size: int) -> None:
    """A little more is usual."""
    ranks = [reading(n, f"GPU-{n}", (size if n == 0 else 8) * GIB) for n in range(4)]
    failed = report(0, size * GIB)
    assert beside(failed, *ranks) == failed
