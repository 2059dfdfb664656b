"""What is asked of a place where an engine keeps its state, and the last answers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from .cards import Answer
from .travel import REST_S, SILENT_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..concurrency.threads import Bell

NOTHING = Answer(0, [], 0)
_LOOKED_S = 15.0  # so long after somebody looked there is somebody who looks


class Asked:
    """Texts to filter workers by, for a thread that asks, and the answers; `bell` wakes it."""

    def __init__(self, bell: Bell) -> None:
        self.texts = [""]
        self._answers: dict[str, Answer] = {}
        self._bell = bell
        self._looked_s = float("-inf")
        self._answered_s = 0.0

    def look(self) -> None:
        """Say that somebody looks."""
        self._looked_s = time.monotonic()

    def is_looked_at(self) -> bool:
        """Whether somebody has looked not long ago."""
        return time.monotonic() - self._looked_s < _LOOKED_S

    def answer(self, text: str) -> Answer:
        """Return the cards as they were told last; what was not asked before is asked at once."""
        self.look()
        if text not in self.texts:
            self.texts = ["", text]
            self._bell.ring()
        return self._answers.get(text, NOTHING)

    def enter(self, asked: Sequence[str], answers: Sequence[Any]) -> None:
        """Keep what came of it."""
        found = [Answer(*answer) for answer in answers]
        self._answers = dict(zip(asked, found, strict=True))
        self._answered_s = time.monotonic()

    def silent_s(self) -> float | None:
        """Return for how long there was no answer, `None` where that is nothing unusual."""
        silent_s = time.monotonic() - self._answered_s
        return silent_s if silent_s > SILENT_S + REST_S else None

    def forget(self) -> None:
        """Forget the answers: nobody is there any more."""
        self._answers = {}
