"""Healthy training raises no alarm, whatever its shape and size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.sampling import sample
from tests.trends.shapes import HEALTHY

if TYPE_CHECKING:
    from tests.trends.shapes import Shape
    from tests.trends.workbench import Workbench

GIB = 2**30


@pytest.mark.parametrize("shape", sample(HEALTHY, 3))
def test_healthy_training_raises_no_alarm(workbench: Workbench, shape: Shape) -> None:
    """No warning of any kind, and no time until full, in a loop that fits the GPU."""
    workbench.attach()
    workbench.rate_hz = workbench.draw.choice([2, 5, 10])
    workbench.tick_s = 10 ** workbench.draw.uniform(-2.3, -1.2)
    source = shape(workbench.draw)
    start_s = workbench.now_s
    with workbench.gpu(4 * GIB):
        result = workbench.run(source, "cell")
    states = [item["state"] for item in workbench.trends]
    print(
        shape.__name__,
        f"{workbench.rate_hz} Hz, tick {workbench.tick_s:.3f} s,",
        f"{workbench.now_s - start_s:.0f} s, {len(states)} readings:",
        {state: states.count(state) for state in set(states)},
        "steps",
        workbench.trends[-1]["steps"] if states else None,
    )
    assert result.success, source
    assert not [item for item in workbench.channel.events if item["type"] in ("warning", "error")]
    assert all(item["full_in_s"] is None or item["full_in_s"] > 120 for item in workbench.trends)
