"""The letter box of a job of Ray, by value: what its worker processes say, put together.

The text of `cards.py` stands in front of this one.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # It stands in front of this text; a name that is there need not be found.
    from .cards import Question, WorkerReading, answer  # noqa: TC004  see above

_STALE_S = 10.0
_ENDED_S = 30.0  # so long after its last word nobody waits for more of a process
_PER_SECOND = 50  # letters
_MOST = 100  # failures


class GpuHeadroomBox:
    """An actor: worker processes put letters into it, the notebook asks for a summary."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[float, dict[str, Any]]] = {}
        self._failed: list[dict[str, Any]] = []
        self._is_over = False

    def put(self, worker_id: str, said: dict[str, Any]) -> float | None:
        """Take what a worker process says; return when to say more, in seconds, `None`: never."""
        if self._is_over:
            self._told.pop(worker_id, None)
            return None
        self._failed = [*self._failed, *said.pop("failed")][-_MOST:]
        self._told[worker_id] = time.time(), said
        return max(1.0, len(self._told) / _PER_SECOND)

    def look(self, questions: Any) -> dict[str, Any]:
        """Return an answer to each question, how many there are, and which failures are new."""
        now_s, found, live = time.time(), [], 0
        self._told = {key: each for key, each in self._told.items() if now_s - each[0] < _ENDED_S}
        for worker_id, (told_s, said) in self._told.items():
            age_s = max(0.0, now_s - told_s)
            live += age_s <= _STALE_S
            on_card = {
                "id": f"ray:{worker_id}",
                "engine": "ray",
                "name": said["name"],
                "rank": None,
                "pid": said["pid"],
                "state": "live" if age_s <= _STALE_S else "stale",
                "age_s": age_s,
                "execution_count": None,
                "left_over": False,
                "actions": [],
            }
            found.append(WorkerReading(said["host"], on_card, said["devices"]))
        answers = [list(answer(found, Question(*question))) for question in questions]
        failed, self._failed = self._failed, []
        return {"live": live, "total": len(found), "answers": answers, "failed": failed}

    def close(self) -> int:
        """Have worker processes end what they say; return how many have not heard of it yet."""
        self._is_over = True
        now_s = time.time()
        return sum(now_s - told_s <= _STALE_S for told_s, _ in self._told.values())
