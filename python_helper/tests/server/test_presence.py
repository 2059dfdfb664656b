"""What it does to another notebook's kernel that a page asks it: are you there."""

from __future__ import annotations

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
    if page.ask(ATTACH)["sample"]["host"] is None:
        page.await_event("sample")  # host memory follows by itself
    return page


def ask_once(server: Server, notebook: Page) -> Any:
    """Ask as another page does: over a connection for this one question."""
    asker = Page(server, notebook.id)
    reply = asker.ask(PRESENCE)
    asker.disconnect()
    assert reply["type"] == "presence", reply
    return reply


def test_asking_an_idle_kernel_is_no_activity(server: Server, notebook: Page) -> None:
    """A notebook that others look at is idle, and was last active when it last worked."""
    notebook.wait(notebook.execute("1"))
    # The last message of a cell.
    notebook.await_event("cell", status="ok")
    notebook.until(lambda: notebook.state == "idle")
    before = notebook.last_activity
    for _ in range(2):
        reply = ask_once(server, notebook)
        assert (notebook.last_activity, notebook.state) == (before, "idle")
    assert reply["sample"]["busy"] is False
    assert 0 < reply["sample"]["time_s"] - reply["idle_since_s"] < 60


def test_asking_a_busy_kernel_leaves_it_busy(server: Server, notebook: Page) -> None:
    """A notebook that computes answers at once, and the server goes on to call it busy."""
    latch = notebook.latch()
    cell = notebook.execute(latch.wait)
    notebook.until(lambda: notebook.state == "busy")
    # The kernel says that it is busy a moment before the cell begins.
    notebook.until(lambda: ask_once(server, notebook)["sample"]["busy"] is True)
    for _ in range(3):
        reply = ask_once(server, notebook)
        assert reply["sample"]["busy"] is True
        assert reply["idle_since_s"] is None
        assert notebook.state == "busy"
    latch.release()
    notebook.wait(cell)
    notebook.until(lambda: notebook.state == "idle")


def test_a_connected_page_misses_nothing(server: Server, notebook: Page) -> None:
    """What a notebook prints while others look at it arrives on its page, once."""
    latch = notebook.latch()
    cell = notebook.execute(f"n = 0\n{latch.wait}; print(n, flush=True); n += 1\nprint('of', n)")
    notebook.await_print("0\n")
    ask_once(server, notebook)
    latch.release()
    *lines, count = notebook.printed(cell).splitlines()
    assert (lines, count) == ([f"{n}" for n in range(len(lines))], f"of {len(lines)}")


@pytest.mark.parametrize(("is_asked", "arrives"), [(False, True), (True, False)])
def test_why_kernels_without_a_page_are_not_asked(
    server: Server, notebook: Page, *, is_asked: bool, arrives: bool
) -> None:
    """The server keeps what is printed for a page that is away until another page connects."""
    latch = notebook.latch()
    notebook.execute(f"{latch.wait}\nprint('kept')")
    notebook.until(lambda: notebook.state == "busy")
    notebook.disconnect()
    notebook.until(lambda: notebook.connections == 0)
    latch.release()
    notebook.until(lambda: notebook.state == "idle")
    if is_asked:
        ask_once(server, notebook)
    # What was kept is replayed before the first request is answered.
    assert ("kept" in notebook.printed(notebook.connect(wait=False))) is arrives
