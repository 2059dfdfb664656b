"""What a Jupyter server believes of a kernel with the helper in it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.session.cell_hooks import _HEAL_AFTER_S
from tests.conftest import NEWEST_AND_COLAB
from tests.live import OPTIONS

if TYPE_CHECKING:
    from tests.live import Pack
    from tests.liveserver import Page

pytestmark = NEWEST_AND_COLAB

ATTACH: dict[str, Any] = {
    "type": "attach",
    "id": "1",
    "protocol_version": "2.0",
    "client_id": "page",
    "visible": True,
    "rate_hz": 10,
    "options": OPTIONS,
}
SAMPLE = {"type": "sample", "id": "2", "protocol_version": "2.0", "client_id": "page"}


def inject(page: Page, pack: Pack, channel: str = "shell") -> None:
    """Bring the helper in and attach."""
    page.wait(page.execute(**pack.work(), channel=channel, silent=True))
    reply = page.ask(ATTACH)
    assert reply["type"] == "attach"
    if reply["sample"]["host"] is None:
        page.await_event("sample")  # host memory follows by itself


def states(page: Page) -> set[str]:
    """What the server takes a kernel for while it answers requests and streams readings."""
    values = set()
    for _ in range(8):
        page.ask(SAMPLE)
        values.add(page.state)
    # The second comes about a second after the first, as nothing changes.
    for _ in range(2):
        page.await_event("sample", busy=True)
        values.add(page.state)
    return values


def test_a_busy_kernel_stays_busy(page: Page, pack: Pack) -> None:
    """Neither requests nor the stream make the server take a working kernel for idle."""
    inject(page, pack)
    latch = page.latch()
    cell = page.execute(latch.wait)
    page.until(lambda: page.state == "busy")
    assert states(page) == {"busy"}
    latch.release()
    page.wait(cell)
    page.until(lambda: page.state == "idle")


def test_polling_is_no_activity(page: Page, pack: Pack) -> None:
    """An idle kernel that is polled was last active when it last worked."""
    inject(page, pack)
    page.wait(page.execute("1"))
    # The last message of a cell.
    page.await_event("cell", status="ok")
    page.until(lambda: page.state == "idle")
    before = page.last_activity
    for _ in range(6):
        page.ask(SAMPLE)
        page.ask(ATTACH)
        time.sleep(0.1)
    assert (page.last_activity, page.state) == (before, "idle")


@pytest.mark.parametrize("awaits", [False, True])
def test_an_injection_into_a_busy_kernel_is_healed(page: Page, pack: Pack, *, awaits: bool) -> None:
    """The control request makes a busy kernel look idle; a moment later it is busy again."""
    latch = page.latch()
    cell = page.execute(latch.wait_async if awaits else latch.wait)
    page.until(lambda: page.state == "busy")
    inject(page, pack, "control")
    page.until(lambda: page.state == "busy")
    assert states(page) == {"busy"}
    latch.release()
    page.wait(cell)
    page.until(lambda: page.state == "idle")


# The helper that comes while a cell's last hooks are being called never hears of its end.
LINGER = """
def linger(result):
    get_ipython().events.unregister('post_run_cell', linger)
    print('begun', flush=True)
    {wait}
get_ipython().events.register('post_run_cell', linger)
"""


@pytest.mark.parametrize(
    "code", ["print('begun', flush=True)\n{wait}", LINGER], ids=["at its end", "in its last hooks"]
)
def test_an_injection_at_the_end_of_a_cell_leaves_it_idle(
    page: Page, pack: Pack, code: str
) -> None:
    """Healing never leaves a kernel busy that has nothing to do."""
    latch = page.latch()
    cell = page.execute(code.format(wait=latch.wait))
    page.await_print("begun")
    inject(page, pack, "control")
    latch.release()
    page.wait(cell)
    page.until(lambda: page.state == "idle")
    # The last attempt to heal comes so long after the injection; a request would hide its fault.
    time.sleep(_HEAL_AFTER_S[-1] + 0.2)
    assert page.state == "idle"


def test_an_idle_kernel_is_culled_as_if_we_were_not_there(page: Page, pack: Pack) -> None:
    """With the gauge open and polling, the culler still takes the kernel in its time."""
    inject(page, pack)

    def is_culled() -> bool:
        if page.model() is None:
            return True
        page.question(SAMPLE)
        return False

    page.until(is_culled)
