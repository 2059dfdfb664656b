"""A helper in a real IPython shell, heard through a channel that checks the wire."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.cells.runs import CellRun
from gpu_headroom.code import parsing
from gpu_headroom.kernel import running_cell
from gpu_headroom.oom import evidence
from gpu_headroom.reports import store as reports
from gpu_headroom.session import wing
from gpu_headroom.session.session import Session
from gpu_headroom.testing import RecordingChannel
from gpu_headroom.text.messages import message
from gpu_headroom.wings import Listed
from gpu_simulator import simulate
from IPython.core.interactiveshell import InteractiveShell
from tests.live import OPTIONS

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from gpu_headroom.protocol.generated.wire import Message

ATTACH = {
    "type": "attach",
    "id": "1",
    "protocol_version": "2.0",
    "client_id": "page",
    "visible": True,
    "rate_hz": 10,
    "options": OPTIONS,
}
FAIL = """
class OutOfMemoryError(RuntimeError):
    __module__ = "torch"
raise OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity"
    " of 16.00 GiB of which 1.00 GiB is free.")
"""


FILL = """batch_size = 64
chunks = []
while True:
    chunks.append(torch.empty(batch_size, 2**20, device="cuda"))"""


class Helper:
    """A session, its shell and its channel."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # IPython publishes hardly any types.
        self.shell: Any = InteractiveShell(colors="nocolor")  # type: ignore[no-untyped-call]  # IPython does not annotate it
        self.channel = RecordingChannel()
        self.session = Session(self.shell, self.channel)
        self.displayed: list[dict[str, Any]] = []
        monkeypatch.setattr(self.shell.display_pub, "publish", self._publish)
        self.session.open()
        self.session._prepare()

    def _publish(self, data: dict[str, Any], *_: object, **__: object) -> None:
        self.displayed.append(data)

    def types(self) -> list[str]:
        """The kinds of events so far."""
        return [event["type"] for event in self.channel.events]

    def ask(self, kind: str, **keys: Any) -> Any:
        """Send a request."""
        return self.channel.ask({"type": kind, "id": "9", "protocol_version": "2.0", **keys})


@pytest.fixture
def helper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Helper]:
    """A helper that has opened."""
    helper = Helper(monkeypatch)
    yield helper
    helper.session.close()


def test_says_hello_and_goodbye(monkeypatch: pytest.MonkeyPatch) -> None:
    """A helper begins with hello and ends with bye, which may be said once only."""
    helper = Helper(monkeypatch)
    helper.session.close()
    assert helper.types() == ["hello", "bye"]


def test_a_report_parses_each_cell_once(
    helper: Helper, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """However many questions are asked of the code: a notebook may have thousands of lines."""
    counts, original = Counter[str](), parsing._parse

    def parse(text: str) -> ast.Module | None:
        counts[text] += 1
        return original(text)

    monkeypatch.setattr(parsing, "_parse", parse)
    cells = [f"batch_size_{n} = {n}\nfor x in range(3):\n    y = x" for n in range(20)]
    with simulate("4 GiB"):
        for source in ["import torch; torch.ones(1, device='cuda')", *cells, FILL]:
            helper.shell.run_cell(source, store_history=True)
    assert "OutOfMemoryError" in capsys.readouterr().out
    assert {counts[source] for source in cells} == {1}
    assert set(counts.values()) == {1}
    before = counts.total()
    parsing.parse_cell(cells[0])
    assert counts.total() == before + 1


@pytest.mark.parametrize("ended", [None, message("holders.incomplete")])
def test_one_page_does_not_undo_what_another_wants(
    helper: Helper,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    ended: Message | None,
) -> None:
    """A page that wants no reports gets none, though another one attached since.

    Nor is one that came to no end completed where it was not shown.
    """
    measured = evidence.measure
    monkeypatch.setattr(evidence, "measure", lambda *a: replace(measured(*a), ended=ended))
    quiet = {**OPTIONS, "mark_cells": False}
    helper.channel.ask({**ATTACH, "client_id": "quiet", "options": quiet})
    helper.channel.ask(ATTACH)
    helper.shell.run_cell(FAIL)
    assert helper.displayed == []
    helper.ask("detach", client_id="quiet")
    helper.shell.run_cell(FAIL)
    assert len(helper.displayed) == 1
    assert capsys.readouterr().out


def test_keeps_no_error_alive(helper: Helper, capsys: pytest.CaptureFixture[str]) -> None:
    """After a report no object of ours refers to the error: freeing it is up to the user."""
    import gc
    import sys
    import weakref

    helper.shell.run_cell(FAIL)
    error = weakref.ref(helper.shell.last_execution_result.error_in_exec)
    assert error() is not None
    helper.shell.last_execution_result = None
    helper.shell.InteractiveTB.tb = helper.shell.InteractiveTB.evalue = None
    for name in ("last_value", "last_traceback", "last_type", "last_exc"):
        if hasattr(sys, name):
            delattr(sys, name)
    gc.collect()
    assert error() is None
    assert capsys.readouterr().out


def test_reports_are_limited(
    helper: Helper, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A notebook that fails all day does not fill the memory with reports."""
    assert reports._KEPT_REPORTS == 50
    monkeypatch.setattr(reports, "_KEPT_REPORTS", 5)
    for _ in range(7):
        helper.shell.run_cell(FAIL)
    assert len(helper.session.reports._entries) == 5
    assert capsys.readouterr().out


def test_a_failure_of_ours_is_reported_once(helper: Helper) -> None:
    """One error event per cause, however often it happens."""
    for _ in range(3):
        helper.session.failed("sampler", RuntimeError("driver is gone"))
    helper.session.failed("sampler", RuntimeError("driver is back"))
    assert helper.types() == ["hello", "error", "error"]


def test_each_request_that_a_failure_ends_is_told(helper: Helper) -> None:
    """Also where the cause was reported before: the page that asked would wait for ever."""
    helper.session.failed("mainloop", RuntimeError("lost"))
    for request_id in ("1", "2"):
        helper.session.failed("mainloop", RuntimeError("lost"), [request_id])
    errors = [event for event in helper.channel.events if event["type"] == "error"]
    assert [event["request_id"] for event in errors] == [None, "1", "2"]


def test_a_reading_that_fails_is_refused_with_a_sentence(
    helper: Helper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A poll gets an answer even where the source raises."""

    def fail(**_: object) -> None:
        raise RuntimeError("driver is gone")

    monkeypatch.setattr(helper.session.sources, "read", fail)
    assert helper.ask("sample", client_id="page")["message"]["id"] == "refused.no_reading"
    assert helper.channel.ask(ATTACH)["sample"] is None  # type: ignore[typeddict-item]  # only `attach` has one


def test_a_request_that_breaks_is_refused(helper: Helper, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in answering is answered too."""

    def fail(*_: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(helper.session.reports, "report", fail)
    reply = helper.ask("report", helper_id=helper.session.helper_id, report_id="r")
    assert reply["message"]["text"] == "The helper could not answer: KeyError: 'lost'."


def test_half_a_start_leaves_no_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hooks that stayed behind would be called twice after the next start."""
    shell: Any = InteractiveShell(colors="nocolor")  # type: ignore[no-untyped-call]  # IPython does not annotate it
    register = shell.events.register
    before = {event: list(hooks) for event, hooks in shell.events.callbacks.items()}

    def fail_late(event: str, hook: object) -> None:
        if event == "post_run_cell":
            raise RuntimeError("no more hooks")
        register(event, hook)

    monkeypatch.setattr(shell.events, "register", fail_late)
    with pytest.raises(RuntimeError, match="no more hooks"):
        Session(shell, RecordingChannel()).open()
    assert shell.events.callbacks == before


def test_a_page_may_ask_while_a_lost_cell_is_let_go_of(
    helper: Helper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control thread looks at the same threads, and may see that the cell runs after all."""
    hooks, ledger = helper.session.cell_hooks, helper.session.ledger
    ledger.begin(object(), CellRun("lost", 1, "1", None, time.time()), None)
    hooks._doubtful_since_s = dict.fromkeys(ledger.threads, -10.0)
    lost = hooks._lost

    def looked_at_meanwhile() -> list[int]:
        threads = lost()
        monkeypatch.setattr(running_cell, "runs_cell", lambda *_: True)
        lost()
        return threads

    monkeypatch.setattr(hooks, "_lost", looked_at_meanwhile)
    hooks.end_lost()
    assert not ledger.running


def test_a_kernel_of_another_make_only_loses_its_page() -> None:
    """A kernel without ipykernel's sockets, loop and requests: cells run, and no page is told."""
    shell: Any = InteractiveShell(colors="nocolor")  # type: ignore[no-untyped-call]  # IPython does not annotate it
    shell.kernel = object()
    session = Session(shell)
    assert session.channel is None
    assert running_cell.parent(shell) == {}
    session.open()
    try:
        assert shell.run_cell("made = 1").success
        assert shell.user_ns["made"] == 1
    finally:
        session.close()


def test_tells_of_a_failure_whoever_does_not_look(
    helper: Helper, capsys: pytest.CaptureFixture[str]
) -> None:
    """A notebook in the background that runs out of memory says so."""
    helper.channel.ask({**ATTACH, "visible": False})
    helper.shell.run_cell(FAIL)
    assert helper.types() == ["hello", "cell", "oom", "cell"]
    assert "OutOfMemoryError" in capsys.readouterr().out


def test_a_wing_of_another_version_is_reported_and_left_out(
    helper: Helper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older wheel may lie beside the helper that a page has brought."""

    def broken(_: str) -> None:
        raise ImportError("cannot import name 'Wing'")

    monkeypatch.setattr(wing, "WINGS", (Listed(".old.wing"),))
    monkeypatch.setattr(wing, "bring", broken)
    helper.session.wings._wings.clear()
    assert helper.channel.ask(ATTACH)["type"] == "attach"
    helper.session.wings.load()
    assert list(helper.session.wings) == []
    assert "error" in helper.types()
