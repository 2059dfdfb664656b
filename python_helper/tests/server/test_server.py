"""What a Jupyter server believes of a kernel with the helper in it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import NEWEST_AND_COLAB
from tests.live import OPTIONS
from tests.liveserver import CULL_AFTER_S

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
    assert page.ask(ATTACH)["type"] == "attach"


def test_a_busy_kernel_stays_busy(page: Page, pack: Pack) -> None:
    """Neither requests nor the stream make the server take a working kernel for idle."""
    inject(page, pack)
    cell = page.execute("import time; time.sleep(2.5)")
    page.until(lambda: page.state == "busy")
    seen = []
    for _ in range(8):
        page.ask(SAMPLE)
        seen.append(page.state)
        time.sleep(0.2)
    assert set(seen) == {"busy"}
    page.wait(cell)
    page.until(lambda: page.state == "idle")


def test_polling_is_no_activity(page: Page, pack: Pack) -> None:
    """An idle kernel that is polled was last active when it last worked."""
    inject(page, pack)
    page.wait(page.execute("1"))
    page.until(lambda: page.state == "idle")
    time.sleep(0.3)
    before = page.last_activity
    for _ in range(6):
        page.ask(SAMPLE)
        page.ask(ATTACH)
        time.sleep(0.1)
    assert (page.last_activity, page.state) == (before, "idle")


@pytest.mark.parametrize("wait", ["time.sleep(3)", "await asyncio.sleep(3)"])
def test_an_injection_into_a_busy_kernel_is_healed(page: Page, pack: Pack, wait: str) -> None:
    """The control request makes a busy kernel look idle; within a second it is busy again."""
    cell = page.execute(f"import asyncio, time; {wait}")
    page.until(lambda: page.state == "busy")
    inject(page, pack, "control")
    page.until(lambda: page.state == "busy", timeout_s=1.0)
    seen = []
    for _ in range(5):
        time.sleep(0.2)
        seen.append(page.state)
    assert set(seen) == {"busy"}
    page.wait(cell)
    page.until(lambda: page.state == "idle", timeout_s=2.0)


# The helper that comes while a cell's last hooks are being called never hears of its end.
LINGER = """
import time
def linger(result):
    get_ipython().events.unregister('post_run_cell', linger)
    time.sleep(1.2)
get_ipython().events.register('post_run_cell', linger)
"""


@pytest.mark.parametrize(
    ("code", "after_s"),
    [("import time; time.sleep(0.6)", 0.3), (LINGER, 0.5)],
    ids=["at its end", "in its last hooks"],
)
def test_an_injection_at_the_end_of_a_cell_leaves_it_idle(
    page: Page, pack: Pack, code: str, after_s: float
) -> None:
    """Healing never leaves a kernel busy that has nothing to do."""
    cell = page.execute(code)
    page.until(lambda: page.state == "busy")
    time.sleep(after_s)
    inject(page, pack, "control")
    page.wait(cell)
    time.sleep(1.5)
    assert page.state == "idle"


def test_an_idle_kernel_is_culled_as_if_we_were_not_there(page: Page, pack: Pack) -> None:
    """With the gauge open and polling, the culler still takes the kernel in its time."""
    inject(page, pack)
    for _ in range(4 * CULL_AFTER_S):
        if page.model() is None:
            return
        page.send(
            "debug_request",
            {"type": "request", "seq": 1, "command": "gpuHeadroom", "arguments": SAMPLE},
            "control",
        )
        time.sleep(0.5)
    raise AssertionError("the kernel was kept alive")
