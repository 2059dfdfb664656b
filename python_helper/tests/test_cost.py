"""What being watched costs, as counts: they are the same on a slow machine and on a busy one.

Whoever adds to what a reading does sees its price here, and raises the budget in the same commit.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from tests.live import LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack

MODULES = 63
"""Of ours, imported until the first reading is there."""

SAMPLE_BYTES = 1_110
"""Of one reading of one GPU, as JSON."""

UNCHANGED_S = 4.5
"""From the first to the sixth reading that is sent of a cell in which nothing changes."""

CALLS = 0
"""Reads and writes of the system in a reading that finds nothing new."""

CALLS_EACH_SECOND = 16
"""Those in a reading that also asks for host memory, once a second."""

INTERVAL_S = "__import__('gpu_headroom.session').session.current().sampler._interval.seconds"
OUR_MODULES = "sum(each.partition('.')[0] == 'gpu_headroom' for each in __import__('sys').modules)"

COUNT = """
def calls():
    with open("/proc/thread-self/io") as file:
        figures = dict(line.split(": ") for line in file)
    return int(figures["syscr"]) + int(figures["syscw"])
def calls_of(read):
    before, between = calls(), calls()
    read()
    return calls() - between - (between - before)
session = gpu_headroom.session.current()
session.sampler.stop()
sources = session.sources
sources.read()
sources._host_read_s = float("-inf")
each_second = calls_of(lambda: sources.read(ticking=True))
unchanged = calls_of(lambda: sources.read(ticking=True))
"""


@pytest.fixture(scope="module")
def process(newest_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel with an installed helper."""
    with LiveKernel(newest_python, tmp_path_factory.mktemp("cost"), installed=True) as kernel:
        yield kernel


@pytest.fixture
def simulated(process: LiveKernel) -> Iterator[LiveKernel]:
    """The same kernel for each test, with a new helper and something on its simulated GPU."""
    process.run('import gpu_headroom; gpu_headroom.simulate("4 GiB"); gpu_headroom.start()')
    process.run("import torch; kept = torch.zeros(2**20, device='cuda')")
    process.attach(rate_hz=2)
    yield process
    process.renew()


def test_modules_of_a_first_reading(newest_python: Path, pack: Pack, tmp_path: Path) -> None:
    """What is compiled before anything is shown: each module is a part of a millisecond."""
    with LiveKernel(newest_python, tmp_path) as kernel:
        work = pack.work()
        work["user_expressions"]["imported"] = OUR_MODULES
        run = kernel.run(**work, silent=True, store_history=False)
        count = run.reply["user_expressions"]["imported"]["data"]["text/plain"]
        assert 0 < int(count) <= MODULES
        kernel.attach()


def test_bytes_of_a_reading(simulated: LiveKernel) -> None:
    """What a page gets twice a second, while memory changes."""
    since = simulated.now
    with simulated.busy_cell():
        sample = simulated.await_event("sample", since, busy=True)
    assert len(json.dumps(sample)) <= SAMPLE_BYTES


def test_readings_of_a_cell_that_waits(simulated: LiveKernel) -> None:
    """Where nothing changes a reading is sent often enough not to look stale, and no more often."""
    since = simulated.now
    with simulated.busy_cell():
        simulated.until(lambda: len(simulated.events("sample", since)) > 5)
    first, *_, sixth = [event["time_s"] for event in simulated.events("sample", since)][:6]
    assert sixth - first > UNCHANGED_S
    assert simulated.value(INTERVAL_S) < 2.5


@pytest.mark.skipif(sys.platform != "linux", reason="counted by Linux")
def test_system_calls_of_a_reading(simulated: LiveKernel) -> None:
    """Each lets go of the interpreter, which a cell that computes gives back only after a while."""
    assert simulated.run(COUNT).status == "ok"
    assert simulated.value("unchanged") <= CALLS
    assert simulated.value("each_second") <= CALLS_EACH_SECOND
