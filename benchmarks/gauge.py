"""How soon the gauge has something to show, and how old that is."""

from __future__ import annotations

import json
import threading
import time
from queue import Empty
from typing import TYPE_CHECKING, Any

from tests.live import LiveKernel

from benchmarks.measure import Row, times_row
from benchmarks.payload import pack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KERNELS = 20
ATTACHES = 40

SIMULATE = """
import gpu_headroom, json, random, time
gpu_headroom.simulate("16 GiB", compute="meta")
import torch
torch.zeros(1, device="cuda")
"""

ALLOCATE = """
def wait(seconds):
    if {busy}:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            pass
    else:
        time.sleep(seconds)

wait(1)
held, made = [], []
for _ in range({count}):
    held.append(torch.empty(2**20, dtype=torch.uint8, device="cuda"))
    made.append((torch.cuda.memory_allocated(), time.time()))
    wait(random.uniform(0.15, 0.35))
del held
print(json.dumps(made))
"""


class Watcher:
    """Notes when each sample arrives, on a connection of its own."""

    def __init__(self, kernel: LiveKernel) -> None:
        self.samples: list[tuple[float, dict[str, Any]]] = []
        # Only this channel: others of the same session would take the kernel's replies away.
        self._iopub = kernel.manager.client().iopub_channel
        self._iopub.start()
        self._reading = True
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def stop(self) -> None:
        """Close the connection."""
        self._reading = False
        self._thread.join()
        self._iopub.stop()

    def arrival(self, in_use_bytes: int, after_s: float) -> float | None:
        """Return when the first sample came that knew of so many bytes; None: none did."""
        for time_s, sample in self.samples:
            total = sum(device["in_use_bytes"] for device in sample["devices"])
            if time_s >= after_s and total >= in_use_bytes:
                return time_s
        return None

    def _read(self) -> None:
        while self._reading:
            try:
                message = self._iopub.get_msg(timeout=0.2)
            except Empty:
                continue
            data = message["content"].get("data", {})
            if message["msg_type"] == "comm_msg" and data.get("type") == "sample":
                self.samples.append((time.time(), data))


def rows(python: Path, folder: Path) -> Iterator[Row]:
    """Measure on real kernels."""
    yield times_row(
        "kernel ready → first reading, injected",
        [first_reading_ms(python, folder) for _ in range(KERNELS)],
        500,
    )
    with LiveKernel(python, folder, installed=True) as kernel:
        assert kernel.run(SIMULATE).status == "ok"
        kernel.run("import gpu_headroom; gpu_headroom.start()")
        yield times_row("attach, there and back, kernel at rest", attach_ms(kernel))
        for how, busy in (("a cell that waits", False), ("a cell that computes", True)):
            times_ms = latencies_ms(kernel, busy=busy)
            yield times_row(f"allocation → event at 10 Hz, {how}", times_ms, 150)
        kernel.submit("for _ in range(200_000_000): pass")
        yield times_row("attach, there and back, a cell that computes", attach_ms(kernel))
        kernel.manager.interrupt_kernel()


def first_reading_ms(python: Path, folder: Path) -> float:
    """Return the time from a ready kernel to a reading, the helper being injected between."""
    helper = pack()
    with LiveKernel(python, folder) as kernel:
        start = time.perf_counter()
        assert kernel.ask("attach", **_attach_keys()) is None
        kernel.ask_ipython()
        kernel.inject(helper)
        reply = kernel.attach()
        if reply["sample"] is None:
            kernel.sample()
        return 1000 * (time.perf_counter() - start)


def _attach_keys() -> dict[str, Any]:
    options = {
        "mark_cells": True,
        "keep_reports": True,
        "name_others": True,
        "record_allocations": False,
        "after_oom": "ask",
        "measure_workers": "ask",
    }
    return {"client_id": "benchmarks", "visible": True, "rate_hz": 10, "options": options}


def attach_ms(kernel: LiveKernel) -> list[float]:
    """Return how long attaching takes, again and again."""
    times_ms = []
    for _ in range(ATTACHES):
        start = time.perf_counter()
        kernel.attach(rate_hz=10)
        times_ms.append(1000 * (time.perf_counter() - start))
    return times_ms


def latencies_ms(kernel: LiveKernel, *, busy: bool, count: int = 60) -> list[float]:
    """Return the ages of allocations when a page hears of them."""
    kernel.attach(rate_hz=10)
    watcher = Watcher(kernel)
    try:
        text = kernel.run(ALLOCATE.format(busy=busy, count=count)).text
    finally:
        watcher.stop()
    allocations = [(size, at) for size, at in json.loads(text)]
    arrivals = [(at, watcher.arrival(size, at)) for size, at in allocations]
    return [1000 * (arrival - at) for at, arrival in arrivals if arrival is not None]
