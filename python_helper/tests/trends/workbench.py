"""Cells on a simulated GPU under a clock of the test's own: hours of training in seconds."""

from __future__ import annotations

import atexit
import random
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gpu_headroom.session.session import Session
from gpu_headroom.testing import RecordingChannel
from gpu_simulator import simulate
from gpu_simulator.allocator import CachingAllocator
from IPython.core.interactiveshell import InteractiveShell
from tests.live import OPTIONS
from traitlets.config import Config

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest
    from gpu_headroom.protocol.generated import wire

PAGE = {
    "type": "attach",
    "id": "1",
    "protocol_version": "2.0",
    "client_id": "page",
    "visible": True,
    "rate_hz": 2,
    "options": {**OPTIONS, "mark_cells": False},
}


class Workbench:
    """A helper whose sampler is driven by the allocations of the simulated GPU.

    Each allocation takes `tick_s`; a reading is made whenever the next is due, in the middle of
    a step or not. Everything else is the helper as it is: hooks, sources, sampler, monitor.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311  sizes, not secrets
        config = Config()
        config.HistoryManager.enabled = False
        InteractiveShell.clear_instance()
        self.shell: Any = InteractiveShell.instance(config=config, colors="nocolor")
        monkeypatch.setattr(self.shell.display_pub, "publish", lambda *_, **__: None)
        monkeypatch.setattr(self.shell, "showtraceback", lambda *_, **__: None)
        self.channel = RecordingChannel()
        self.said_s: list[float] = []
        self._note_warnings(monkeypatch)
        self.session = Session(self.shell, self.channel)
        self.session.sampler.clock = lambda: self.now_s
        # A page that looks on renews its lease, however long the test takes.
        self.session.leases._clock = lambda: 0.0
        self.channel.open(self.session._answer)
        self.session.cell_hooks.open()
        self.session._prepare()
        self.now_s = self._due_s = 1000.0
        self.tick_s = 0.01
        self.rate_hz = 2.0
        self.trends: list[Any] = []
        self._in_tick = False
        self._patch(monkeypatch)

    def close(self) -> None:
        """Take the hooks back."""
        self.session.cell_hooks.close()
        self.shell.reset(new_session=False)
        # Each shell would stay until Python ends, and collect garbage then.
        atexit.unregister(self.shell.atexit_operations)

    def attach(self) -> None:
        """Have a page look on."""
        self.channel.ask(PAGE)

    @contextmanager
    def gpu(self, capacity: int) -> Iterator[None]:
        """Give the cells a GPU."""
        with simulate(capacity):
            yield

    def run(self, source: str, cell_id: str) -> Any:
        """Run a cell and what waits for its end; returns IPython's result."""
        result = self.shell.run_cell(source, store_history=True, cell_id=cell_id)
        mainloop = self.session.mainloop
        while mainloop._jobs or mainloop._now:
            mainloop._slice(mainloop._due_s)
        return result

    def warnings(self, kind: str = "filling_up") -> list[Any]:
        """Return the warnings of a kind so far."""
        return [
            event
            for event in self.channel.events
            if event["type"] == "warning" and event["kind"] == kind
        ]

    def _note_warnings(self, monkeypatch: pytest.MonkeyPatch) -> None:
        send = self.channel.send

        def note(event: wire.Event) -> None:
            send(event)
            if event["type"] == "warning":
                self.said_s.append(self.now_s)

        monkeypatch.setattr(self.channel, "send", note)

    def _patch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        malloc = CachingAllocator.malloc

        def allocate(allocator: CachingAllocator, *args: Any, **kwargs: Any) -> Any:
            self._pass_time()
            return malloc(allocator, *args, **kwargs)

        monkeypatch.setattr(CachingAllocator, "malloc", allocate)

    def _pass_time(self) -> None:
        self.now_s += self.tick_s
        if self.now_s >= self._due_s and not self._in_tick:
            self._in_tick = True
            self._due_s = self.now_s + self.draw.uniform(0.8, 1.2) / self.rate_hz
            self.session.sampler._tick()
            self.trends += self.session.wings.named("trends").trends()
            self._in_tick = False
