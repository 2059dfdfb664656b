"""Whether the range that a run's peak is told by holds, against PyTorch's own counter.

`python -m benchmarks.peaks` prints the programs one by one. Each runs in a fork of its own on a
simulated GPU: in a fresh kernel, again, and after something larger whose cache was emptied. A
program takes about a hundredth of what it takes on a GPU, so readings are as many times closer.
"""

from __future__ import annotations

import gc
import sys
import threading
import time
import warnings
from dataclasses import replace
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple

import torch
import torch._dynamo  # an optimizer's first step imports it
from gpu_headroom.cells.runs import CellRun, Ledger
from gpu_headroom.readings.snapshot import DeviceReading, DeviceSnapshot
from gpu_headroom.readings.sources import Sources
from gpu_simulator import simulate

from benchmarks.fidelity.programs import PROGRAMS
from benchmarks.measure import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

NAMES = (
    "accumulation",
    "attention_by_hand",
    "average_of_weights",
    "checkpoint_reentrant",
    "convolutional_network",
    "deep_lstm",
    "frozen_layers",
    "gpt2",
    "gpt2_autocast",
    "inference",
    "loader",
    "low_rank_adaptation",
    "lstm",
    "perceptron_with_AdamW",
    "resnet",
    "second_derivatives",
    "to_the_host_and_back",
    "transformer_with_AdamW",
    "u_net",
    "vision_transformer",
)
NARROW = 0.1
_READ_EVERY_S = 0.5 / 100
_LARGER_BYTES = 12 * 2**30


class Told(NamedTuple):
    """The peak of one run: the range stated, and the true peak; in bytes."""

    program: str
    case: str
    least_bytes: int
    most_bytes: int | None
    true_bytes: int

    @property
    def holds(self) -> bool:
        """Whether the true peak lies within."""
        most = self.true_bytes if self.most_bytes is None else self.most_bytes
        return self.least_bytes <= self.true_bytes <= most

    @property
    def width(self) -> float:
        """The width of the range as a share of its end, 1 without one."""
        return 1.0 if self.most_bytes is None else 1 - self.least_bytes / self.most_bytes


class _Watched:
    """The GPU as a helper reads it that has never reset the peak, while this does."""

    def __init__(self) -> None:
        self._sources = Sources(lambda *_: None)
        self._sources.prepare()
        self._peak = 0

    def read(self) -> DeviceSnapshot:
        """Read the GPU, with the highest peak of all the process."""
        snapshot = self._sources.read()
        devices = tuple(self._never_reset(device) for device in snapshot.devices)
        return DeviceSnapshot(0, time.time(), snapshot.state, devices)

    def _never_reset(self, device: DeviceReading) -> DeviceReading:
        (framework,) = device.frameworks
        self._peak = max(self._peak, framework.peak_in_use_bytes or 0)
        return replace(device, frameworks=(replace(framework, peak_in_use_bytes=self._peak),))

    def run(self, function: Callable[[], object]) -> tuple[int, int | None, int]:
        """Run a function as a cell; return its peak as it is stated, and as PyTorch counted it."""
        gc.collect()
        ledger = Ledger()
        ledger.begin(None, CellRun(None, 1, "", None, 0.0), self.read())
        torch.cuda.reset_peak_memory_stats()
        end = threading.Event()

        def observe() -> None:
            while not end.wait(_READ_EVERY_S):
                ledger.observe(self.read())

        reader = threading.Thread(target=observe)
        reader.start()
        try:
            function()
        finally:
            end.set()
            reader.join()
        run = ledger.end(0, "ok", 1, 0.0, self.read())
        memory = run.on(0)
        assert memory is not None
        assert memory["peak_bytes"] is not None
        true = torch.cuda.max_memory_allocated()
        return memory["peak_bytes"], memory["peak_at_most_bytes"], true


def told(names: Iterable[str]) -> Iterator[Told]:
    """Yield what is stated of each program's runs."""
    with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        for cases in pool.imap(_cases, names):
            yield from cases


def _cases(name: str) -> list[Told]:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    simulate("16 GiB", compute="meta")
    torch.zeros(1, device="cuda")
    gpu, function = _Watched(), PROGRAMS[name].function
    cases = [Told(name, case, *gpu.run(function)) for case in ("first", "again")]
    torch.empty(_LARGER_BYTES, dtype=torch.uint8, device="cuda")
    torch.cuda.empty_cache()
    return [*cases, Told(name, "after a larger one", *gpu.run(function))]


def rows() -> Iterator[Row]:
    """Yield how often the true peak lies within its range, and how often that is narrow."""
    runs = list(told(NAMES))
    hits = sum(run.holds for run in runs)
    yield Row(
        "true peak of a run within its range",
        "100 %",
        f"{hits} of {len(runs)}",
        hits == len(runs),
    )
    for case, goal in (("first", 0.8), ("again", 0.8), ("after a larger one", None)):
        subset = [run for run in runs if run.case == case]
        narrow = sum(run.width <= NARROW for run in subset)
        yield Row(
            f"… narrower than 10 %: the program {_WHEN[case]}",
            "" if goal is None else f"≥ {goal:.0%}",
            f"{narrow} of {len(subset)}, widest {max(run.width for run in subset):.0%}",
            None if goal is None else narrow >= goal * len(subset),
        )


_WHEN = {
    "first": "for the first time",
    "again": "again",
    "after a larger one": "after something larger whose cache was emptied",
}

if __name__ == "__main__":
    for _run in told(sys.argv[1:] or NAMES):
        print(*_run, f"{_run.width:.1%}", "" if _run.holds else "WRONG", flush=True)
