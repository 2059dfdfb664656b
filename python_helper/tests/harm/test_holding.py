"""How long the main thread is held at a stretch by what nobody has asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.concurrency import turns
from tests.harm.neighbours import FAIL, NEIGHBOURS, PREPARE

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import Pack

# Between two turns of the event loop, in processor time of the whole process: what another
# program takes of the machine does not count.
WATCH = """
longest = 0.0

def watch():
    loop = asyncio.get_running_loop()
    begun = time.process_time()
    def tick():
        global longest
        nonlocal begun
        now = time.process_time()
        longest, begun = max(longest, now - begun), now
        loop.call_later(0.001, tick)
    tick()

watch()
"""
LIMIT_S = 0.05
# A machine may be half as fast as the slowest that the limit was measured on.
SLOW = 2
COLLECTED = "[time.process_time(), gc.collect(), time.process_time()]"


MANY_BLOCKS = turns._MANY_BLOCKS


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "name", ["nothing", "3 million objects", "100,000 names", "10,000 outputs"]
)
def test_what_nobody_asked_for_lets_a_cell_begin(
    start_newest: Start, pack: Pack, name: str
) -> None:
    """Readings, a plan as the mouse passes over a button, and holders at the end of a cell.

    Two steps cannot be cut: to list all objects and to collect garbage. They are taken where
    there are not many, one at a time, and are no longer than what Python's own collector, which
    comes by in any kernel, takes.
    """
    kernel = start_newest(installed=True)
    kernel.run(PREPARE)
    kernel.inject(pack)
    kernel.attach()
    kernel.run(FAIL, stop_on_error=False)
    kernel.run(NEIGHBOURS[name].begin)
    for kind in ("plan", "holders"):  # what is done once is done, such as imports
        kernel.await_event(kind, request_id=kernel.ask(kind, asked=False)["id"])
    kernel.run(WATCH, store_history=False)
    kernel.value("globals().update(longest=0.0)")
    for kind in ("plan", "holders", "plan", "holders"):
        kernel.sample()
        kernel.await_event(kind, request_id=kernel.ask(kind, asked=False)["id"])
    longest_s = kernel.value("longest")
    begun_s, _, ended_s = kernel.value(COLLECTED)
    many = kernel.value("sys.getallocatedblocks()") > MANY_BLOCKS
    listing_s = 0.0 if many else ended_s - begun_s
    print(f"{longest_s * 1000:.0f} ms, to list {listing_s * 1000:.0f} ms at most")
    assert longest_s < SLOW * LIMIT_S + listing_s
