"""Messages to a frame that cannot open a comm yet: comms that the kernel opens instead."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Publish = Callable[[str, dict[str, Any], Mapping[str, Any]], None]

_FIRST_GAP_S = 1.0
_AT_ONCE = 6  # comms opened at the first interval
_GROWTH = 1.6  # factor of later intervals: twenty comms cover twenty minutes


class Beacon:
    """Sends events to one output while its own cell keeps the frame's messages from arriving.

    The frame may load late and miss earlier comms, so new ones are opened at growing intervals.
    Events between two of them go to the last one, at no cost where no frame received it: a front
    end drops messages of an unknown comm, whereas it answers each `comm_open` of an unknown target
    on the busy shell channel.
    """

    def __init__(
        self, target: str, publish: Publish, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._target = target
        self._publish = publish
        self._clock = clock
        self._comm_id: str | None = None
        self._next_s = clock()
        self._opened = 0

    @property
    def is_due(self) -> bool:
        """Whether the next comm should be opened."""
        return self._clock() >= self._next_s

    def open(self, data: object, parent: Mapping[str, Any]) -> None:
        """Send data on a new comm, which replaces the last one."""
        self.close(parent)
        self._opened += 1
        gap_s = _FIRST_GAP_S * _GROWTH ** max(0, self._opened - _AT_ONCE)
        self._next_s = self._clock() + gap_s
        self._comm_id = comm_id = uuid.uuid4().hex
        opening = {"comm_id": comm_id, "target_name": self._target, "target_module": None}
        self._publish("comm_open", {**opening, "data": data}, parent)

    def send(self, data: object, parent: Mapping[str, Any]) -> None:
        """Send data on the last comm, if one was opened."""
        if self._comm_id is not None:
            self._publish("comm_msg", {"comm_id": self._comm_id, "data": data}, parent)

    def close(self, parent: Mapping[str, Any]) -> None:
        """Close the last comm, after which nothing is sent on it."""
        comm_id, self._comm_id = self._comm_id, None
        if comm_id is not None:
            self._publish("comm_close", {"comm_id": comm_id, "data": {}}, parent)
