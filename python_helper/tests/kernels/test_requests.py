"""Requests and events, as a page exchanges them with a real kernel."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.protocol.checking import PROTOCOL_VERSION
from tests.conftest import IN_EACH
from tests.live import OPTIONS, UNTIL_READ

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import LiveKernel, Pack

pytestmark = IN_EACH

ATTACH: dict[str, Any] = {
    "type": "attach",
    "id": "1",
    "protocol_version": "2.0",
    "client_id": "c",
    "visible": True,
    "rate_hz": 2,
    "options": OPTIONS,
}


@pytest.mark.smoke
def test_answers_while_a_cell_runs(kernel: LiveKernel) -> None:
    """A request is answered in the middle of a cell, and the cell is the running one."""
    with kernel.busy_cell(cell_id="busy") as cell:
        reply = kernel.attach()
        assert (reply["cell"]["cell_id"], reply["cell"]["status"]) == ("busy", "running")
        assert reply["sample"]["busy"] is True
    assert cell.result().status == "ok"
    assert kernel.attach()["cell"]["status"] == "ok"


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ([1, 2], "`type` is missing"),
        ({"type": "explode", "protocol_version": "2.3"}, "does not know the request `explode`"),
        ({**ATTACH, "options": {"mark_cells": 1}}, "`options.mark_cells` is missing"),
        (
            {**ATTACH, "protocol_version": "3.0"},
            f"uses protocol {PROTOCOL_VERSION}, this page uses 3.0",
        ),
    ],
)
def test_refuses_what_it_cannot_read(kernel: LiveKernel, request_: object, says: str) -> None:
    """A malformed, unknown or foreign request gets one clear sentence and changes nothing."""
    reply = kernel.ask_raw(request_)
    assert reply["type"] == "refused"
    assert says in reply["message"]["text"]
    assert kernel.attach()["type"] == "attach"


def test_leaves_other_debug_requests_to_the_debugger(kernel: LiveKernel) -> None:
    """What is not our command reaches the kernel's own handler."""
    reply = kernel.debug("debugInfo", {})
    assert reply["command"] == "debugInfo"
    assert "isStarted" in reply["body"]


def test_streams_on_a_lease_only(kernel: LiveKernel) -> None:
    """Readings go to visible pages, edges of cells to hidden ones too; nothing without a lease."""
    since = kernel.now
    with kernel.busy_cell():
        kernel.await_event("sample", since, busy=True)
    kernel.await_event("cell", since, status="ok")
    kernel.ask("detach", client_id="a-page")
    kernel.ask("detach", client_id="c")
    since = kernel.now
    assert kernel.run(UNTIL_READ).status == "ok"
    assert kernel.events(since=since) == []
    kernel.attach(visible=False)
    assert kernel.run(UNTIL_READ, cell_id="unseen").status == "ok"
    kernel.await_event("cell", since, status="ok")
    edges = [(event["type"], event["cell_id"]) for event in kernel.events(since=since)]
    assert edges == [("cell", "unseen"), ("cell", "unseen")]
    kernel.attach()


def test_sends_nothing_at_rest(kernel: LiveKernel) -> None:
    """A kernel at rest is polled: a push would count as activity and keep it alive."""
    kernel.attach(rate_hz=10)
    since = kernel.now
    # Three periods of the rate: no message can tell that nothing was to come.
    time.sleep(0.3)
    first, second = kernel.sample(), kernel.sample()
    assert second["seq"] > first["seq"]
    assert kernel.events(since=since) == []


def test_events_belong_to_no_cell(kernel: LiveKernel) -> None:
    """Events carry an empty parent header, so that no cell's output area is asked about them."""
    since = kernel.now
    with kernel.busy_cell() as cell:
        kernel.await_event("sample", since, busy=True)
    run = cell.result()
    events = [message for message in kernel.messages(since) if message["msg_type"] == "comm_msg"]
    assert events
    assert all(message["parent_header"] == {} for message in events)
    assert [kind for kind, _ in run.outputs] == ["stream"]


def test_reports_of_other_lives_are_unknown(kernel: LiveKernel) -> None:
    """Neither a report of another helper nor one never made is acted on."""
    own_id = kernel.attach()["hello"]["helper_id"]
    for helper_id in ("another", own_id):
        reply = kernel.ask("report", helper_id=helper_id, report_id="never-made")
        assert (reply["status"], reply["report"]) == ("unknown", None)
    reply = kernel.ask("fix", report_id="never-made", remedy_id="smaller-batch", sources={})
    assert (reply["status"], reply["edits"]) == ("unknown", [])


@pytest.mark.parametrize("code", ["", "   ", "def", "1/0", "%no_such_magic", "!true"])
def test_every_kind_of_cell_comes_to_an_end(kernel: LiveKernel, code: str) -> None:
    """Empty cells, syntax errors, failing cells and magics leave no cell running."""
    kernel.run(code, stop_on_error=False)
    assert kernel.sample()["busy"] is False


@pytest.mark.smoke
@pytest.mark.parametrize("wait", ["time.sleep(60)", "while True: await asyncio.sleep(0.01)"])
def test_an_interrupted_cell_comes_to_an_end(kernel: LiveKernel, wait: str) -> None:
    """Interrupting a cell, an awaiting one too, ends it as failed."""
    since = kernel.now
    code = f"import asyncio, time\nprint('begun', flush=True)\n{wait}"
    # What comes next must not be aborted with it where the kernel is slow to go on.
    cell = kernel.start_cell(code, stop_on_error=False)
    kernel.manager.interrupt_kernel()
    assert kernel.result(cell).status == "error"
    kernel.await_event("cell", since, status="error")
    assert kernel.sample()["busy"] is False


# What each kind of work asks of others, who may raise whatever they like.
WORK: dict[str, tuple[str, str, dict[str, Any]]] = {
    "plan": ("handlers.release", "measured", {"asked": True}),
    "release": ("handlers.release", "run", {"items": None, "confirmed": [], "report_id": None}),
    "cleanup": ("handlers.release", "cleanup_code", {"items": None}),
    "holders": ("holders.measure", "measure", {"asked": True}),
    "path": ("holders.paths", "find", {"holder_id": "x"}),
    "snapshot": ("frameworks.torch.memory_snapshot", "export", {"path": None}),
}


@pytest.mark.parametrize("error", ["SystemExit(3)", "KeyboardInterrupt", "GeneratorExit"])
def test_every_work_ends_with_an_event(start_newest: Start, pack: Pack, error: str) -> None:
    """Whatever a person's objects raise: a page that waits is told, and the kernel goes on."""
    kernel = start_newest()
    kernel.expected_complaints += ["GPU Headroom", error.partition("(")[0]]
    kernel.inject(pack)
    kernel.attach()
    kernel.run(f"def refuse(*a, **k): raise {error}")
    for kind, (module, name, keys) in WORK.items():
        # By its whole name: `gpu_headroom.holders` is the function.
        kernel.run(f"m = __import__('importlib').import_module('gpu_headroom.{module}')")
        assert kernel.run(f"kept = m.{name}; m.{name} = refuse").status == "ok"
        since = kernel.now
        reply = kernel.ask(kind, **keys)
        own_keys = {"release_id": reply["release_id"]} if kind == "release" else {}
        if kind == "snapshot":
            event = kernel.await_event("error", since, request_id=reply["id"])
        elif own_keys:
            event = kernel.await_event("released", since, **own_keys)
        else:
            event = kernel.await_event(kind, since, request_id=reply["id"])
        assert error.partition("(")[0] in str(event), kind
        kernel.run(f"m.{name} = kept; del m, kept")
    assert kernel.value("6 * 7") == 42
    assert kernel.asked("plan")["items"]


def test_counts_the_outermost_cell_only(kernel: LiveKernel) -> None:
    """`%%capture` and `run_cell` run cells within a cell: the notebook ran one."""
    since = kernel.now
    kernel.run("%%capture\nget_ipython().run_cell('1 + 1')", cell_id="outer")
    kernel.await_event("cell", since, status="ok")
    cells = kernel.events("cell", since)
    assert [(event["cell_id"], event["status"]) for event in cells] == [
        ("outer", "running"),
        ("outer", "ok"),
    ]
    assert kernel.sample()["busy"] is False


def test_runs_without_history_are_cells(kernel: LiveKernel) -> None:
    """`store_history=False` changes nothing for the ledger; silent runs are no cells."""
    since = kernel.now
    kernel.run("1", store_history=False, cell_id="unstored")
    kernel.await_event("cell", since, status="ok", cell_id="unstored")
    since = kernel.now
    kernel.run("1", silent=True, store_history=False)
    assert kernel.events("cell", since) == []
