"""What the helper costs a training loop, with PyTorch's own allocator and statistics.

The loop runs on a CUDA build over a stub of the runtime (`make cuda`), whose kernels compute
nothing: all that is left of a step is Python and PyTorch's dispatch, which is the worst case.

The helper is switched on while one cell runs. Steps are counted in a moment around each
reading and in as long a moment between two readings: what is missing is what a reading took from
the loop. Whole runs beside each other tell it to some tenths of a per cent only, for the machine is
elsewhere for longer than all readings take.
"""

from __future__ import annotations

import statistics
from random import Random
from typing import TYPE_CHECKING

from tests.live import LiveKernel

from benchmarks.measure import Row, figures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from scripts.cuda import Environment

SLEEP_S = 20
RESAMPLES = 2000
READINGS = 300
BEFORE_S, AFTER_S = 0.006, 0.024
TRIMMED = 10  # of the counts one in so many is left out at either end: the machine was elsewhere
ALLOCATOR = "PyTorch's own allocator, two GPUs"

OF_LOOP = {2: 0.3, 10: 1.0}
OF_PROCESSOR = {2: 0.1, 10: 0.5}

MODEL = """
import gpu_headroom
import torch
torch.set_num_threads(1)
model = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(6)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

def step():
    optimizer.zero_grad()
    model(torch.randn(256, 512, device="cuda")).sum().backward()
    optimizer.step()

for _ in range(2000):
    step()
"""

SWITCH = """
import json, time
session = gpu_headroom.session.current()
sampler = session.sampler
is_on, rate_hz = False, 2
is_busy, tick, prepare = sampler._busy, sampler._tick, sampler._prepare

session._wanted_hz = sampler._interval._rate_hz = lambda: rate_hz
sampler._busy = lambda: is_on and is_busy()
sampler._prepare = lambda: is_on and prepare()

def switch(on, hz):
    global is_on, rate_hz
    is_on, rate_hz = on, hz
    sampler.wake()
    time.sleep(0.01)

def share_of_processor(seconds):
    begin = time.process_time()
    time.sleep(seconds)
    return (time.process_time() - begin) / seconds
"""

BESIDE = """
import bisect
begins, ends = [], []

def noted_tick():
    begins.append(time.perf_counter())
    tick()

def steps_around(moments):
    return [
        bisect.bisect(ends, at + {after}) - bisect.bisect(ends, at - {before}) for at in moments
    ]

sampler._tick = noted_tick
switch(True, {hz})
stop = time.perf_counter() + {readings} / {hz}
while ends[-1:] < [stop]:
    step()
    ends.append(time.perf_counter())
sampler._tick = tick
moments = begins[1:-1]
between = [(one + other) / 2 for one, other in zip(begins[1:], begins[2:])]
print(json.dumps([steps_around(moments), steps_around(between)]))
"""

WAIT = """
found = []
for on, hz in [(False, 2), (True, {hz}), (False, 2), (True, {hz})]:
    switch(on, hz)
    found.append(share_of_processor({seconds}))
print(json.dumps(found))
"""


def rows(environment: Environment, folder: Path) -> Iterator[Row]:
    """Measure a loop with the helper and without it, by turns in one cell."""
    if not environment.is_there:
        yield Row("training slowdown, processor time", "", "not measured: `make cuda` first")
        return
    environment.build()
    python, variables = environment.python, environment.variables
    with LiveKernel(python, folder, installed=True, **variables) as kernel:
        assert kernel.run(MODEL).status == "ok"
        kernel.run("gpu_headroom.start()")
        kernel.attach(rate_hz=2)
        kernel.is_checked = False
        assert kernel.run(SWITCH).status == "ok"
        for hz, goal in OF_LOOP.items():
            yield _beside(kernel, hz, goal)
        for hz, goal in OF_PROCESSOR.items():
            shares = figures(kernel, WAIT.format(hz=hz, seconds=SLEEP_S))
            share = 100 * (statistics.fmean(shares[1::2]) - statistics.fmean(shares[::2]))
            yield Row(
                f"processor time of the helper at {hz} Hz while a cell waits, {ALLOCATOR}",
                f"≤ {goal:g} %",
                f"{share:.3f} %",
                share <= goal,
            )


def _beside(kernel: LiveKernel, hz: int, goal: float) -> Row:
    code = BESIDE.format(before=BEFORE_S, after=AFTER_S, hz=hz, readings=READINGS)
    around, between = figures(kernel, code)
    random = Random(0)  # noqa: S311  nothing to be guessed
    tries = sorted(
        _missing(random.choices(around, k=len(around)), random.choices(between, k=len(between)))
        for _ in range(RESAMPLES)
    )
    error_s = (tries[-RESAMPLES // 40] - tries[RESAMPLES // 40]) / 2
    lost_s = _missing(around, between)
    share = 100 * hz * lost_s
    return Row(
        f"training slowdown at {hz} Hz, {ALLOCATOR}",
        f"≤ {goal:g} %",
        f"{share:.2f} % ± {100 * hz * error_s:.2f} ({1000 * lost_s:.2f} ms a reading, "
        f"n = {len(around)})",
        share <= goal,
    )


def _missing(around: Sequence[int], between: Sequence[int]) -> float:
    """Return the seconds that a reading took, by the steps in moments of the same length."""
    return (BEFORE_S + AFTER_S) * (1 - _trimmed_mean(around) / _trimmed_mean(between))


def _trimmed_mean(values: Sequence[int]) -> float:
    ends = len(values) // TRIMMED
    return statistics.fmean(sorted(values)[ends : len(values) - ends])
