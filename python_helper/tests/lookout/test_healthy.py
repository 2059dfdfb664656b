"""Healthy training raises no alarm, whatever its shape and size."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from tests.lookout.shapes import HEALTHY
from tests.lookout.workbench import Workbench

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.lookout.shapes import Shape

GIB = 2**30


@pytest.fixture
def workbench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    """A workbench whose seed a failing test prints."""
    seed = time.time_ns() % 2**32
    print(f"seed {seed}")
    bench = Workbench(monkeypatch, seed)
    yield bench
    bench.close()


@pytest.mark.parametrize("shape", HEALTHY)
def test_healthy_training_raises_no_alarm(workbench: Workbench, shape: Shape) -> None:
    """No warning of any kind, and no time until full, in a loop that fits the card."""
    workbench.attach()
    workbench.rate_hz = workbench.draw.choice([2, 5, 10])
    workbench.tick_s = 10 ** workbench.draw.uniform(-2.3, -1.2)
    source = shape(workbench.draw)
    started = workbench.now_s
    with workbench.card(4 * GIB):
        result = workbench.run(source, "cell")
    states = [each["state"] for each in workbench.trends]
    print(
        shape.__name__,
        f"{workbench.rate_hz} Hz, tick {workbench.tick_s:.3f} s,",
        f"{workbench.now_s - started:.0f} s, {len(states)} readings:",
        {state: states.count(state) for state in set(states)},
        "steps",
        workbench.trends[-1]["steps"] if states else None,
    )
    assert result.success, source
    assert not [each for each in workbench.channel.events if each["type"] in ("warning", "error")]
    assert all(each["full_in_s"] is None or each["full_in_s"] > 120 for each in workbench.trends)
