"""One frame: what it has not been told yet, and whether it is still there."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

from ..concurrency.threads import Lock

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..protocol.generated import wire

LEASE_S = 60.0
"""How long a frame that says nothing is kept, while no cell keeps it from being heard."""

LATEST_ONLY = {"sample", "cell", "progress"}
"""Kinds of events of which the last one alone says how things stand."""

_MOST_EVENTS = 50
_MOST_REQUESTS = 200
_NOT_TOLD = {"hello", "bye"}


class Frame:
    """A frame, by the id of its output: numbers what it has to be told until it has got it.

    `comm` is `None` where it can only ask, and is answered there and then.
    """

    def __init__(self, uid: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.uid = uid
        self.comm: Any = None
        self._clock = clock
        self._lock = Lock()
        self._number = 0
        self._events: deque[tuple[int, wire.Event]] = deque(maxlen=_MOST_EVENTS)
        self._asked: deque[str] = deque(maxlen=_MOST_REQUESTS)
        self._heard_s = clock()

    @property
    def lapsed(self) -> bool:
        """Whether nothing was heard of it for as long as a lease."""
        return self._clock() - self._heard_s > LEASE_S

    def heard(self, seen: object) -> None:
        """Note that it is there, and that it has got the events up to number `seen`."""
        self._heard_s = self._clock()
        if isinstance(seen, int):
            with self._lock:
                left = [event for event in self._events if event[0] > seen]
                self._events = deque(left, maxlen=_MOST_EVENTS)

    def excuse(self) -> None:
        """Begin its lease anew: a cell kept it from being heard."""
        self._heard_s = self._clock()

    def asks(self, request_id: str) -> None:
        """Note that what comes of a request is for this frame."""
        self._asked.append(request_id)

    def enter(self, event: wire.Event) -> bool:
        """Take up an event, unless it is not for this frame; say whether it was taken."""
        kind, request_id = event["type"], event.get("request_id")
        if kind in _NOT_TOLD or (request_id is not None and request_id not in self._asked):
            return False
        with self._lock:
            if kind in LATEST_ONLY:
                left = [event_pair for event_pair in self._events if event_pair[1]["type"] != kind]
                self._events = deque(left, maxlen=_MOST_EVENTS)
            self._number += 1
            self._events.append((self._number, event))
        return True

    def news(self) -> list[tuple[int, wire.Event]]:
        """Return what it has not said to have got, oldest first."""
        return list(self._events)
