"""How often a page is answered anew that asks without end."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.handlers import dispatcher
from gpu_headroom.handlers.basics import Basics
from gpu_headroom.handlers.dispatcher import Dispatcher
from gpu_headroom.handlers.holders import HolderRequests
from gpu_headroom.handlers.release import ReleaseRequests
from tests.fuzz.mutate import Maker

if TYPE_CHECKING:
    from gpu_headroom.protocol.generated import wire

MANY = 1_000
MOST = 60  # of a thousand in one second


class Asked:
    """A dispatcher whose handlers count, at a time that a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: Counter[str] = Counter()
        self.now_s = 1_000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now_s)
        self.failures = failures = list[Any]()
        handlers: Any = {
            "sample": self._repeated,
            "holders": self._walked,
            "release": self._handled,
        }
        self._dispatcher = Dispatcher(
            handlers, dict, lambda part, error: failures.append((part, error))
        )
        self._make = Maker("asked", ("text",))

    def _handled(self, request: Any) -> Any:
        self.calls[request["type"]] += 1
        return {"type": request["type"], "id": request["id"], "n": self.calls[request["type"]]}

    @dispatcher.limited("repeated")
    def _repeated(self, request: Any) -> Any:
        return self._handled(request)

    @dispatcher.limited("refused")
    def _walked(self, request: Any) -> Any:
        return self._handled(request)

    def request(self, kind: str, number: int, **keys: Any) -> dict[str, Any]:
        """A request of a kind."""
        request: Any = next(
            item for item in iter(lambda: self._make.valid("request"), None) if item["type"] == kind
        )
        return {**request, "id": f"{number}", "protocol_version": "2.0", **keys}

    def ask(self, request: dict[str, Any], page: str = "a") -> Any:
        """Ask as a page does; whatever comes of it is an answer to this very request."""
        reply: wire.Reply = self._dispatcher.answer(request, page)
        assert self.failures == []
        assert reply["id"] == request["id"]
        assert reply["type"] in {request["type"], "refused"}
        return reply


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What a page asks."""
    return Asked(monkeypatch)


@pytest.mark.parametrize(
    ("limit", "limited"),
    [
        ("repeated", {"_sample", "_cells", "_presence"}),
        ("refused", {"_plan", "_holders", "_path"}),
    ],
)
def test_what_only_looks_is_limited(limit: str, limited: set[str]) -> None:
    """What does something is not."""
    parts = (Basics, HolderRequests, ReleaseRequests)
    handlers = [item for part in parts for item in vars(part).items()]
    assert limited == {name for name, method in handlers if getattr(method, "limit", "") == limit}


def test_the_last_answer_serves_who_asks_without_end(asked: Asked) -> None:
    """And what is answered anew goes on coming, some twenty times a second."""
    kind = "sample"
    request = asked.request(kind, 0)
    for number in range(MANY):
        asked.now_s += 1 / MANY
        reply = asked.ask({**request, "id": f"{number}"})
        assert reply["n"] == asked.calls[kind]
    assert 40 <= asked.calls[kind] <= MOST
    before = asked.calls[kind]
    asked.now_s += 1.0
    assert asked.ask(request)["n"] == before + 1


def test_no_more_walks_are_begun(asked: Asked) -> None:
    """What is refused has a sentence."""
    kind = "holders"
    request = asked.request(kind, 0)
    for number in range(MANY):
        asked.now_s += 1 / MANY
        reply = asked.ask({**request, "id": f"{number}"})
        assert reply["type"] == kind or reply["message"]["id"] == "refused.too_often"
    assert 40 <= asked.calls[kind] <= MOST


def test_what_does_something_is_done_each_time(asked: Asked) -> None:
    """Also beside what is asked too often."""
    kind = "release"
    request, poll = asked.request(kind, 0), asked.request("sample", 0)
    for number in range(MANY):
        asked.ask(poll)
        assert asked.ask({**request, "id": f"{number}"})["type"] == kind
    assert asked.calls[kind] == MANY


def test_another_question_gets_no_answer_to_this_one(asked: Asked) -> None:
    """It is refused; and another page is answered as ever."""
    request = asked.request("sample", 0, client_id="a")
    for _ in range(MANY):
        asked.ask(request)
    question = {**request, "client_id": "b"}
    assert asked.ask(question)["message"]["id"] == "refused.too_often"
    assert asked.ask(question, "another page")["type"] == "sample"
    asked.now_s += 0.1
    assert asked.ask(question)["type"] == "sample"


def test_pages_that_have_gone_are_forgotten(asked: Asked) -> None:
    """Each reload is another page."""
    request = asked.request("sample", 0)
    for number in range(MANY):
        assert asked.ask(request, f"{number}")["n"] == number + 1
    assert len(asked._dispatcher._pages) <= dispatcher._MOST_PAGES
