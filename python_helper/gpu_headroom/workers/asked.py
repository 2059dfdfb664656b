"""Filters sent to the place where an engine keeps its state, and the last answers to them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from .gpus import Answer
from .travel import REST_S, SILENT_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..concurrency.threads import Bell

NOTHING = Answer(0, [], 0)
_LOOKED_S = 15.0  # a user counts as looking for this long after a request


class Asked:
    """Filter texts for the thread that queries workers, and its last answers; `bell` wakes it."""

    def __init__(self, bell: Bell) -> None:
        self.texts = [""]
        self._answers: dict[str, Answer] = {}
        self._bell = bell
        self._looked_s = float("-inf")
        self._answered_s = 0.0

    def look(self) -> None:
        """Record that a user is looking."""
        self._looked_s = time.monotonic()

    def is_looked_at(self) -> bool:
        """Whether a user has looked within the last 15 s."""
        return time.monotonic() - self._looked_s < _LOOKED_S

    def answer(self, text: str) -> Answer:
        """Return the last known answer for a filter; a new filter is queried without delay."""
        self.look()
        if text not in self.texts:
            self.texts = ["", text]
            self._bell.ring()
        return self._answers.get(text, NOTHING)

    def enter(self, asked: Sequence[str], answers: Sequence[Any]) -> None:
        """Store the answers to the filters that were sent."""
        entries = [Answer(*answer) for answer in answers]
        self._answers = dict(zip(asked, entries, strict=True))
        self._answered_s = time.monotonic()

    def silent_s(self) -> float | None:
        """Return the seconds since the last answer; `None` while they are within the usual."""
        silent_s = time.monotonic() - self._answered_s
        return silent_s if silent_s > SILENT_S + REST_S else None

    def forget(self) -> None:
        """Discard the answers, as there is no cluster any more."""
        self._answers = {}
