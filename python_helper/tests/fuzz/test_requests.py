"""Requests that are wrong in every way, to a helper at rest and beside a cell."""

from __future__ import annotations

import json
import math
import sys
import threading
import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom import testing
from gpu_headroom.concurrency import mainloop
from gpu_headroom.testing import RecordingChannel
from tests.fuzz.mutate import Maker, how_many
from tests.session.test_session import ATTACH, Helper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from gpu_headroom.protocol.generated import wire

_BATCH = 100
_MOST_TURNS = 10_000


class QuickChannel(RecordingChannel):
    """Checks each message by the definition of its kind, as it is sent: in UTF-8."""

    def send(self, event: wire.Event) -> None:
        """Check an event and keep it."""
        _check(event, event["type"])
        self.events.append(event)

    def ask(self, request: object) -> wire.Reply:
        """Send a request, well-formed or not, and return its checked reply."""
        assert self._answer is not None
        reply = self._answer(request)
        _check(reply, f"{reply['type']}_reply")
        return reply


class FuzzedHelper(Helper):
    """A helper whose main thread comes round when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(monkeypatch)
        self.channel = self.session.channel = QuickChannel()
        self.channel.open(self.session._answer)
        self.calls: list[Callable[[], None]] = []
        monkeypatch.setattr(
            self.session.mainloop, "_schedule", lambda call, _: self.calls.append(call)
        )

    def come_round(self) -> None:
        """Do all work that waits."""
        for _ in range(_MOST_TURNS):
            calls, self.calls[:] = list(self.calls), []
            for call in calls:
                call()
            if not self.calls:
                return
        pytest.fail("The work between cells does not come to an end.")

    def in_a_cell(self, call: Callable[[], None]) -> None:
        """Call while a cell runs."""
        self.shell.user_ns["_fuzz"] = call
        result = self.shell.run_cell("_fuzz()")
        assert result.error_in_exec is None, result.error_in_exec


@pytest.fixture
def helper(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Iterator[FuzzedHelper]:
    """A helper that has opened, in a folder of its own; nothing may be printed."""
    monkeypatch.chdir(tmp_path)
    helper = FuzzedHelper(monkeypatch)
    yield helper
    helper.session.close()
    assert capsys.readouterr() == ("", "")


def _check(message: Mapping[str, object], definition: str) -> None:
    testing.check(message, definition)
    json.dumps(message, ensure_ascii=False, allow_nan=False).encode()


def surroundings(helper: Helper) -> dict[str, Any]:
    """Return what a request must leave as it was."""
    return {
        "threads": {item.name for item in threading.enumerate()},
        "filters": list(warnings.filters),
        "finders": list(sys.meta_path),
        "hooks": (sys.excepthook, threading.excepthook, sys.gettrace(), sys.getprofile()),
        "callbacks": {name: list(calls) for name, calls in helper.shell.events.callbacks.items()},
        "names": {item for item in helper.shell.user_ns if not item.startswith("_")},
    }


def check_answer(request: object, reply: Any) -> None:
    """Fail unless a request got its answer, or a sentence that says what is wrong with it."""
    message = request if isinstance(request, dict) else {}
    request_id = message.get("id")
    has_id = isinstance(request_id, str) and len(request_id) < 10_000 and "\ud800" not in request_id
    assert reply["id"] == (request_id if has_id else "")
    assert reply["type"] in ("refused", message.get("type"))
    if reply["type"] == "refused":
        assert reply["message"]["id"] != "refused.failed", (request, reply)
        assert len(reply["message"]["text"]) < 400


def test_every_request_is_answered(helper: FuzzedHelper) -> None:
    """One answer or one sentence for each, nothing raised, nothing left behind, and alive."""
    make = Maker("requests")
    helper.channel.ask(ATTACH)
    before, types = surroundings(helper), set()

    def ask() -> None:
        for _ in range(_BATCH):
            request = make.request()
            reply = helper.channel.ask(request)
            check_answer(request, reply)
            types.add(reply["type"])
            assert math.isfinite(helper.session.leases.wanted_hz() or 0.0)

    for batch in range(max(2, how_many(500) // _BATCH)):
        if batch % 2:
            helper.in_a_cell(ask)
        else:
            ask()
        helper.come_round()
        errors = [item for item in helper.channel.events if item["type"] == "error"]
        assert [item["message"]["text"] for item in errors] == []
        helper.channel.events.clear()
    assert surroundings(helper) == before
    kinds = {item.removesuffix("_request") for item in make.kinds("request")}
    # These are about a report of this helper or an engine; nothing failed or is there. A dry run
    # is begun where a GPU is known by the name that it happens to be asked for by.
    by_chance = {"rescue", "rerun", "follow", "dry_run"}
    assert types - {"dry_run"} == kinds - by_chance | {"refused"}
    assert helper.channel.ask(ATTACH)["type"] == "attach"
    assert helper.ask("sample", client_id="page")["type"] == "sample"


def test_a_page_cannot_fill_the_memory(
    helper: FuzzedHelper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a cell runs for hours, so much waits and no more; afterwards all of it is done."""
    assert mainloop._MOST_WAITING <= 1_000
    monkeypatch.setattr(mainloop, "_MOST_WAITING", 10)

    def ask() -> None:
        for number in range(20):
            for kind, keys in (("path", {"holder_id": str(number)}), ("plan", {"asked": True})):
                reply = helper.ask(kind, **keys)
        assert reply["message"]["id"] == "refused.full"
        assert helper.ask("path", holder_id="x" * 1_000_000)["message"]["params"] == {
            "key": "holder_id"
        }

    helper.in_a_cell(ask)
    helper.come_round()
    counts = Counter(event["type"] for event in helper.channel.events)
    assert counts["plan"] + counts["path"] == 10
    assert helper.ask("plan", asked=True)["type"] == "plan"
