"""Actor of a Ray job that collects the readings of its workers; its code is sent by value.

The source of `gpus.py` is executed before this one.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Defined by the source that is executed before this one; never imported at run time.
    from .gpus import STALE_S, answer, worker_of  # noqa: TC004  see above

_ENDED_S = 30.0  # after its last message a process counts as ended
_PER_SECOND = 50  # messages, of all workers
_MOST = 100  # failures


class GpuHeadroomBox:
    """Actor to which worker processes send messages, and which the notebook queries.

    Requests to a worker are returned as the reply to its next message.
    """

    def __init__(self) -> None:
        self._readings: dict[str, tuple[float, dict[str, Any]]] = {}
        self._failed: list[dict[str, Any]] = []
        self._orders: dict[str, dict[str, Any]] = {}  # outcomes of requests to free, by worker
        self._is_over = False

    def put(self, worker_id: str, said: dict[str, Any]) -> tuple[float, bool] | None:
        """Store a worker's message; return the seconds to the next, and whether to free memory.

        `None` asks the worker to stop. Each request to free is returned once.
        """
        if self._is_over:
            self._readings.pop(worker_id, None)
            return None
        self._failed = [*self._failed, *said.pop("failed")][-_MOST:]
        self._readings[worker_id] = time.time(), said
        order, outcome = self._orders.get(worker_id), said.pop("freed")
        if order is not None and outcome is not None:
            order.update(outcome)
        is_new = order == {}
        if is_new:
            self._orders[worker_id] = {"status": ""}
        return max(1.0, len(self._readings) / _PER_SECOND), is_new

    def order(self, worker_id: str) -> dict[str, str] | None:
        """Request that a worker free unused memory; return the status that prevents it."""
        if worker_id in self._orders:
            return {"status": "asked"}
        if self._is_over or not self._is_live(worker_id):
            return {"status": "gone"}
        self._orders[worker_id] = {}
        return None

    def outcome(self, worker_id: str, left_s: float) -> dict[str, Any] | None:
        """Return the outcome of a request, `None` while it is pending.

        With no time left, or after the worker's end, the request is dropped as `unanswered`.
        """
        order = self._orders.get(worker_id, {})
        if not order.get("status"):
            if left_s > 0 and self._is_live(worker_id):
                return None
            order = {"status": "unanswered"}
        self._orders.pop(worker_id, None)
        return order

    def look(self, texts: list[str]) -> dict[str, Any]:
        """Return an answer for each filter, the counts of workers, and the new failures."""
        now_s, workers, live = time.time(), [], 0
        self._readings = {
            key: entry for key, entry in self._readings.items() if now_s - entry[0] < _ENDED_S
        }
        for worker_id, (received_s, fields) in self._readings.items():
            age_s = max(0.0, now_s - received_s)
            live += age_s <= STALE_S
            names = fields["name"], None
            workers.append(worker_of(f"ray:{worker_id}", names, fields, age_s, idle=fields["idle"]))
        answers = [list(answer(workers, text)) for text in texts]
        failed, self._failed = self._failed, []
        return {"live": live, "total": len(workers), "answers": answers, "failed": failed}

    def _is_live(self, worker_id: str) -> bool:
        reading = self._readings.get(worker_id)
        return reading is not None and time.time() - reading[0] <= STALE_S

    def close(self) -> int:
        """Have workers stop reporting; return how many have not been notified yet."""
        self._is_over = True
        now_s = time.time()
        return sum(now_s - received_s <= STALE_S for received_s, _ in self._readings.values())
