"""What it does to another notebook's kernel that a page asks it: are you there."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import NEWEST_AND_COLAB
from tests.live import OPTIONS
from tests.liveserver import Page

if TYPE_CHECKING:
    from tests.live import Pack
    from tests.liveserver import Server

pytestmark = NEWEST_AND_COLAB

ENVELOPE = {"id": "1", "protocol_version": "2.0"}
PRESENCE = {**ENVELOPE, "type": "presence"}
ATTACH = {
    **ENVELOPE,
    "type": "attach",
    "client_id": "its own page",
    "visible": True,
    "rate_hz": 10,
    "options": OPTIONS,
}


@pytest.fixture
def notebook(page: Page, pack: Pack) -> Page:
    """A notebook with its page, and the whole helper in its kernel."""
    page.wait(page.execute(**pack.work(), silent=True))
    page.ask(ATTACH)
    return page


def ask_once(server: Server, notebook: Page) -> Any:
    """Ask as another page does: over a connection for this one question."""
    other = Page(server, notebook.id)
    reply = other.ask(PRESENCE)
    other.disconnect()
    assert reply["type"] == "presence", reply
    return reply


def test_asking_an_idle_kernel_is_no_activity(server: Server, notebook: Page) -> None:
    """A notebook that others look at is idle, and was last active when it last worked."""
    notebook.wait(notebook.execute("1"))
    notebook.until(lambda: notebook.state == "idle")
    time.sleep(0.3)
    before = notebook.last_activity
    for _ in range(2):
        reply = ask_once(server, notebook)
        assert (notebook.last_activity, notebook.state) == (before, "idle")
    assert reply["sample"]["busy"] is False
    assert 0 < reply["sample"]["time_s"] - reply["idle_since_s"] < 60


def test_asking_a_busy_kernel_leaves_it_busy(server: Server, notebook: Page) -> None:
    """A notebook that computes answers at once, and the server goes on to call it busy."""
    cell = notebook.execute("import time; time.sleep(2.5)")
    notebook.until(lambda: notebook.state == "busy")
    # The kernel says that it is busy a moment before the cell begins.
    notebook.until(lambda: ask_once(server, notebook)["sample"]["busy"] is True, timeout_s=1.0)
    for _ in range(3):
        reply = ask_once(server, notebook)
        assert reply["sample"]["busy"] is True
        assert reply["idle_since_s"] is None
        assert notebook.state == "busy"
    notebook.wait(cell)
    notebook.until(lambda: notebook.state == "idle")


def test_a_connected_page_misses_nothing(server: Server, notebook: Page) -> None:
    """What a notebook prints while others look at it arrives on its page, once."""
    cell = notebook.execute("import time\nfor i in range(4): print(i, flush=True); time.sleep(0.5)")
    notebook.until(lambda: notebook.state == "busy")
    ask_once(server, notebook)
    assert notebook.printed() == "0\n1\n2\n3\n", cell


@pytest.mark.parametrize(("is_asked", "arrives"), [(False, True), (True, False)])
def test_why_kernels_without_a_page_are_not_asked(
    server: Server, notebook: Page, *, is_asked: bool, arrives: bool
) -> None:
    """The server keeps what is printed for a page that is away until another page connects."""
    notebook.execute("import time; time.sleep(1.0); print('kept')")
    notebook.until(lambda: notebook.state == "busy")
    notebook.disconnect()
    notebook.until(lambda: notebook.connections == 0)
    notebook.until(lambda: notebook.state == "idle")
    if is_asked:
        ask_once(server, notebook)
    notebook.connect(wait=False)
    assert ("kept" in notebook.printed()) is arrives
