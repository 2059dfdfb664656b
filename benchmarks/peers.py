"""What else people look at GPU memory with, in the same pages and on the same loop.

Each has the same server and the same notebooks, one of which runs PyTorch for CUDA over the stub;
the server sees the stub's GPUs, too.
"""

from __future__ import annotations

import json
import statistics
from typing import TYPE_CHECKING, NamedTuple

from tests.live import LiveKernel

from benchmarks.measure import Row
from benchmarks.pixel import measured
from benchmarks.training import ALLOCATOR, MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scripts.cuda import Environment

PAIRS = 120
MOMENT_S = 0.25
THREAD = """
import threading, time
is_watching = threading.Event()
is_watching.set()

def watch():
    peak = 0
    while True:
        is_watching.wait()
        peak = max(peak, torch.cuda.memory_allocated())
        time.sleep({pause_s})

threading.Thread(target=watch, daemon=True).start()
"""
PAUSE_S = 0.001
"""As ipyexperiments' monitor of peaks has it."""

LOOP = f"""
import json

def steps():
    count, end = 0, time.perf_counter() + {MOMENT_S}
    while time.perf_counter() < end:
        step()
        count += 1
    return count

pairs = []
for number in range({PAIRS}):
    counts = {{}}
    for watched in (True, False) if number % 2 else (False, True):
        (is_watching.set if watched else is_watching.clear)()
        time.sleep(0.01)
        counts[watched] = steps()
    pairs.append((counts[True], counts[False]))
is_watching.clear()
print(json.dumps(pairs))
"""


class Peer(NamedTuple):
    """One way to look at GPU memory: what the server and the kernel have of it."""

    extension: str
    sizes: str
    prepare: str = ""


PEERS = {
    "nothing": Peer("", "1 3 30"),
    "GPU Headroom": Peer("gpu-headroom", "1 3 30"),
    "jupyter-resource-usage": Peer("@jupyter-server/resource-usage", "1 3 30"),
    "jupyterlab-nvdashboard, its GPU memory open": Peer("jupyterlab-nvdashboard", "1 3 30"),
    "a thread that reads memory_allocated() each ms": Peer("", "1", THREAD.format(pause_s=PAUSE_S)),
}
MOMENTS = {"rest": "at rest", "hidden": "hidden", "working": "a cell at work"}


def rows(environment: Environment, folder: Path) -> Iterator[Row]:
    """Measure each by itself: messages, server and kernels; then the thread beside a loop."""
    if not environment.is_there:
        yield Row("beside others", "", "not measured: `make cuda` first")
        return
    environment.build()
    for name, peer in PEERS.items():
        result = measured(
            "peers",
            folder,
            GPU_HEADROOM_PEER=peer.extension,
            GPU_HEADROOM_NOTEBOOKS=peer.sizes,
            GPU_HEADROOM_PREPARE=peer.prepare,
            GPU_HEADROOM_CUDA_PYTHON=str(environment.python),
            GPU_HEADROOM_CUDA_VARIABLES=json.dumps(environment.variables),
            **environment.variables,
        )
        for size in peer.sizes.split():
            what = f"{name}, {size} notebook{'s' if size != '1' else ''}"
            yield Row(what, "", "not measured" if result is None else _summary(result[size]))
    yield from _loop(environment, folder)


def _summary(moments: dict[str, dict[str, float]]) -> str:
    return "; ".join(
        f"{name} {load['sent'] + load['received']:.0f} messages a minute, "
        f"server {load['server']:.1f} %, kernels {load['kernels']:.1f} %"
        for name, load in ((MOMENTS[moment], burden) for moment, burden in moments.items())
    )


def _loop(environment: Environment, folder: Path) -> Iterator[Row]:
    """Measure the loop of `training.py` in pairs of moments, the thread at work in one of each."""
    for pause_s in (PAUSE_S, 0.1):
        with LiveKernel(environment.python, folder, installed=True, **environment.variables) as on:
            assert on.run(MODEL).status == "ok"
            assert on.run(THREAD.format(pause_s=pause_s)).status == "ok"
            run = on.result(on.submit(LOOP), timeout_s=3600)
        assert run.status == "ok", run.reply
        shares = [100 * (1 - watched / alone) for watched, alone in json.loads(run.text)]
        noise = 1.96 * statistics.stdev(shares) / len(shares) ** 0.5
        yield Row(
            f"training slowdown by a thread that reads memory_allocated() every "
            f"{1000 * pause_s:g} ms, {ALLOCATOR}",
            "",
            f"{statistics.fmean(shares):.2f} % ± {noise:.2f} (n = {len(shares)})",
        )
