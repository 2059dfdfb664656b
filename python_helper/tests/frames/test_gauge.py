"""What the static form of a gauge says of workers: the same as the live one."""

from __future__ import annotations

from typing import Any

import pytest
from gpu_headroom.frames.gauge import name_workers
from gpu_headroom.frameworks.view import FrameworkReading
from gpu_headroom.readings.snapshot import DeviceReading, DeviceSnapshot

GIB = 2**30


def snapshot(used_gib: int, state: Any = "live") -> DeviceSnapshot:
    """A kernel with one GPU of 16 GiB."""
    framework = FrameworkReading("torch", used_gib * GIB, 0)
    device = DeviceReading(
        index=0,
        backend="cuda",
        name="T4",
        uuid=None,
        simulated=False,
        capacity_bytes=16 * GIB,
        capacity_limited=False,
        shared_with_host=False,
        free_bytes=(16 - used_gib) * GIB,
        outside_bytes=0,
        others_bytes=None,
        frameworks=(framework,),
    )
    return DeviceSnapshot(seq=1, time_s=0.0, state=state, devices=(device,))


def followed(*engines: tuple[str, int, int], used_gib: int | None = 12) -> Any:
    """Workers by engine, how many, and of how many readings come; the fullest of their GPUs."""
    card = {"capacity_bytes": 16 * GIB, "used_bytes": used_gib and used_gib * GIB}
    told = [{"engine": name, "total": total, "live": live} for name, total, live in engines]
    return {"engines": told, "fullest": card, "in_use_bytes": 0, "here": []}


RANKS = ("rank", 2, 2)


@pytest.mark.parametrize(
    ("workers", "own", "said"),
    [
        (followed(RANKS), snapshot(4), "2 ranks · fullest worker 75%"),
        (followed(RANKS), snapshot(14), "2 ranks"),
        (followed(RANKS), snapshot(4, "not_initialised"), "2 ranks · fullest 75%"),
        (followed(RANKS), None, "2 ranks · fullest 75%"),
        (followed(RANKS, used_gib=None), None, "2 ranks"),
        ({**followed(("rank", 1, 1)), "fullest": None}, snapshot(4), "1 rank"),
        (followed(("dask", 40, 38)), snapshot(14), "40 Dask workers"),
        (followed(("dask", 1, 1), RANKS), snapshot(14), "3 workers"),
        (followed(("command", 1, 1)), snapshot(14), "1 process of a cell"),
        (followed(("dask", 40, 0)), snapshot(4), ""),
        (None, snapshot(4), ""),
    ],
)
def test_workers_are_named_as_the_live_gauge_does(
    workers: Any, own: DeviceSnapshot | None, said: str
) -> None:
    """Counted by their kind; the fullest of their GPUs where it is fuller than the kernel's own."""
    assert name_workers(workers, own) == said
