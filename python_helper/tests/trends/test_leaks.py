"""Loops that leak are warned of before memory is full, and what grows is named after the cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.sampling import sample
from tests.trends.leaks import LEAKS

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from tests.trends.leaks import Leak
    from tests.trends.workbench import Workbench

GIB = 2**30


@pytest.mark.parametrize("leak", sample(LEAKS, 3))
def test_a_leak_is_told_in_time(workbench: Workbench, leak: Callable[[Random], Leak]) -> None:
    """The warning comes while there is room, says about when it ends, and then who holds it."""
    workbench.attach()
    workbench.rate_hz = workbench.draw.choice([2, 5, 10])
    workbench.tick_s = 10 ** workbench.draw.uniform(-1.8, -1.2)
    source, holder = leak(workbench.draw)
    started_s = workbench.now_s
    with workbench.gpu(4 * GIB):
        result = workbench.run(source, "cell")
    full_s = workbench.now_s
    warnings = workbench.warnings()
    print(
        leak.__name__,
        f"{workbench.rate_hz} Hz, tick {workbench.tick_s:.3f} s,",
        f"full after {full_s - started_s:.0f} s, said after",
        [f"{item - started_s:.0f} s" for item in workbench.said_s],
        [item["message"]["text"] for item in warnings],
    )
    errors = [item for item in workbench.channel.events if item["type"] == "error"]
    assert not errors
    assert type(result.error_in_exec).__name__ == "OutOfMemoryError", result.error_in_exec
    assert warnings
    assert workbench.said_s[0] < full_s
    assert warnings[-1]["message"]["params"].get("name") == holder
