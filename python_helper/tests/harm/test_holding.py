"""How long the main thread is held at a stretch by what no user has asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.concurrency import turns
from tests.harm.neighbours import FAIL, NEIGHBOURS, PREPARE

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import Pack

# Between two turns of the event loop, in processor time of the whole process: what another
# program takes of the machine does not count. Nor does what Python's own collector takes: it comes
# by in any kernel, and once a walk has paused it, it catches up.
WATCH = """
longest = collected_s = 0.0
collecting_s = None

def collector(phase, info):
    global collecting_s, collected_s
    if phase == 'start':
        collecting_s = time.process_time()
    else:
        collected_s += time.process_time() - collecting_s
        collecting_s = None

def worked_s():
    # A collection on another thread may have come to its end, and not have said so.
    return (collecting_s or time.process_time()) - collected_s

def watch():
    loop = asyncio.get_running_loop()
    begun = worked_s()
    def tick():
        global longest
        nonlocal begun
        now = worked_s()
        longest, begun = max(longest, now - begun), now
        loop.call_later(0.001, tick)
    tick()

gc.callbacks.append(collector)
watch()
"""
# Half of what a walk may take in all, so of one that is not cut into slices. A slice and the list
# of half a million objects take some 0.09 s together.
LIMIT_S = turns.SHORT_S / 2


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "name", ["nothing", "3 million objects", "100,000 names", "10,000 outputs"]
)
def test_what_no_user_asked_for_lets_a_cell_begin(
    start_newest: Start, pack: Pack, name: str
) -> None:
    """Readings, a plan as the mouse passes over a button, and holders at the end of a cell.

    Two steps cannot be cut: to list all objects and to collect garbage. They are taken where
    there are not many, one at a time.
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
    print(f"{longest_s * 1000:.0f} ms")
    assert longest_s < LIMIT_S
