"""A page that asks without end, beside a thread of the person's that computes."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.live import LiveKernel

ASKS = 150
BEGIN = """
import threading, time
import gpu_headroom.session
session = gpu_headroom.session.current()
calls = {"situation": [], "sample": []}
def counted(name):
    original = getattr(session, name)
    def call(*args):
        began_s = time.monotonic()
        try:
            return original(*args)
        finally:
            calls[name].append((began_s, time.monotonic()))
    setattr(session, name, call)
counted("situation")
counted("sample")
over = threading.Event()
def train():
    while not over.is_set():
        sum(range(100))
threading.Thread(target=train).start()
"""
END = "over.set(); del session.situation, session.sample"


@pytest.mark.parametrize(
    ("kind", "keys", "call"),
    [("plan", {}, "situation"), ("sample", {"client_id": "a-page"}, "sample")],
)
def test_each_ask_is_answered_and_few_cost_anything(
    kernel: LiveKernel, kind: str, keys: dict[str, Any], call: str
) -> None:
    """What a plan finds comes to each ask that was queued, and a cell runs as ever."""
    assert kernel.run(BEGIN).status == "ok"
    began_s, since = time.monotonic(), kernel.now
    try:
        replies = [kernel.ask(kind, **keys) for _ in range(ASKS)]
        elapsed_s = time.monotonic() - began_s
        for reply in replies:
            if reply["type"] == "refused":
                assert reply["message"]["id"] == "refused.too_often"
            elif kind == "plan":
                kernel.await_event("plan", since, request_id=reply["id"])
        assert kernel.run("y = 1").status == "ok"
        calls = kernel.value(f"calls[{call!r}]")
    finally:
        assert kernel.run(END).status == "ok"
    assert replies[0]["type"] == kind
    assert 1 <= len(calls) <= 40 + 20 * elapsed_s
    if kind == "plan":
        for (started_s, ended_s), (next_s, _) in pairwise(calls):
            assert next_s - ended_s > min(2.0, 3 * (ended_s - started_s))
    assert kernel.events("error", since) == []
