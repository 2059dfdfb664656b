"""The way to a frame that cannot be heard yet: comms that the kernel opens."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Publish = Callable[[str, dict[str, Any], Mapping[str, Any]], None]

_FIRST_GAP_S = 1.0
_AT_ONCE = 6  # comms opened with the first gap between them
_GROWTH = 1.6  # of the gaps after them: twenty comms reach twenty minutes


class Beacon:
    """Tells one output what happens while its own cell keeps its frame from being heard.

    The frame may come late, and misses the comms of before: so there are several, further and
    further apart. What happens between two of them is told on the last one. That costs nothing
    where nobody took it: a page drops what comes on a comm that it does not know, while it
    answers each `comm_open` of an unknown target on the busy shell.
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
        """Whether another comm should be opened."""
        return self._clock() >= self._next_s

    def open(self, data: object, parent: Mapping[str, Any]) -> None:
        """Tell it on a comm of its own, in place of the one before."""
        self.close(parent)
        self._opened += 1
        gap_s = _FIRST_GAP_S * _GROWTH ** max(0, self._opened - _AT_ONCE)
        self._next_s = self._clock() + gap_s
        self._comm_id = comm_id = uuid.uuid4().hex
        opening = {"comm_id": comm_id, "target_name": self._target, "target_module": None}
        self._publish("comm_open", {**opening, "data": data}, parent)

    def send(self, data: object, parent: Mapping[str, Any]) -> None:
        """Tell it on the comm that was opened last, if one was."""
        if self._comm_id is not None:
            self._publish("comm_msg", {"comm_id": self._comm_id, "data": data}, parent)

    def close(self, parent: Mapping[str, Any]) -> None:
        """Close that comm; nothing is told on it any more."""
        comm_id, self._comm_id = self._comm_id, None
        if comm_id is not None:
            self._publish("comm_close", {"comm_id": comm_id, "data": {}}, parent)
