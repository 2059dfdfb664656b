"""Unacknowledged events and lease of one frame."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

from ..concurrency.threads import Lock

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..protocol.generated import wire

LEASE_S = 60.0
"""Seconds for which a silent frame is kept, while no cell blocks its messages."""

LATEST_ONLY = {"sample", "cell", "progress"}
"""Kinds of events of which only the latest matters."""

_MOST_EVENTS = 50
_MOST_REQUESTS = 200
_NOT_TOLD = {"hello", "bye"}


class Frame:
    """A frame, by the id of its output: keeps numbered events until the frame acknowledges them.

    `comm` is `None` for a frame that has none open, which receives events only in replies.
    """

    def __init__(self, uid: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.uid = uid
        self.comm: Any = None
        self._clock = clock
        self._lock = Lock()
        self._number = 0
        self._events: deque[tuple[int, wire.Event]] = deque(maxlen=_MOST_EVENTS)
        self._asked: deque[str] = deque(maxlen=_MOST_REQUESTS)
        self._received_s = clock()

    @property
    def lapsed(self) -> bool:
        """Whether the last message is older than the lease."""
        return self._clock() - self._received_s > LEASE_S

    def received(self, seen: object) -> None:
        """Renew the lease, and discard the events up to number `seen`, which have arrived."""
        self._received_s = self._clock()
        if isinstance(seen, int):
            with self._lock:
                events = [event for event in self._events if event[0] > seen]
                self._events = deque(events, maxlen=_MOST_EVENTS)

    def excuse(self) -> None:
        """Renew the lease of a frame whose messages a cell has blocked."""
        self._received_s = self._clock()

    def asks(self, request_id: str) -> None:
        """Record a request of this frame, so that its events are sent here."""
        self._asked.append(request_id)

    def enter(self, event: wire.Event) -> bool:
        """Queue an event if it concerns this frame; return whether it does."""
        kind, request_id = event["type"], event.get("request_id")
        if kind in _NOT_TOLD or (request_id is not None and request_id not in self._asked):
            return False
        with self._lock:
            if kind in LATEST_ONLY:
                events = [pair for pair in self._events if pair[1]["type"] != kind]
                self._events = deque(events, maxlen=_MOST_EVENTS)
            self._number += 1
            self._events.append((self._number, event))
        return True

    def news(self) -> list[tuple[int, wire.Event]]:
        """Return the unacknowledged events, oldest first."""
        return list(self._events)
