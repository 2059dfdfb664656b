"""What a page asks about workers: their cards, to be measured or not, to be freed or ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..concurrency import threads
from ..text.messages import message
from ..workers.cards import Question
from .dispatcher import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from ..protocol import requests, wire
    from ..workers.followed import Workers
    from ..workers.ranks import Ranks
    from .queued import Served

    class _Working(Served, Protocol):
        """What is asked of a life besides."""

        workers: Workers
        ranks: Ranks


class WorkerRequests:
    """The answers, by the type of the request; what takes long is done on a thread of its own."""

    def __init__(self, life: _Working) -> None:
        self._life = life
        self.by_kind: dict[str, Callable[[Any], wire.Reply]] = {
            "workers": self._workers,
            "follow": self._follow,
            "worker_release": self._release,
        }

    def _workers(self, request: requests.WorkersRequest) -> wire.WorkersReply:
        life = self._life
        latest = life.sampler.latest
        question = Question(request["host"], request["filter"], int(request["offset"]))
        found = life.workers.answer(question)
        return {
            "type": "workers",
            "id": request["id"],
            "workers": life.workers.short(latest.devices if latest else ()),
            "hosts": found.hosts,
            "more_hosts": found.more_hosts,
            "cards": found.cards,
            "more_cards": found.more_cards,
        }

    def _follow(self, request: requests.FollowRequest) -> wire.FollowReply:
        raise Refusal(message("refused.unknown", name=request["engine"][:80]))

    def _release(self, request: requests.WorkerReleaseRequest) -> wire.WorkerReleaseReply:
        threads.start(lambda: self._run(request))
        return {"type": "worker_release", "id": request["id"], "status": "queued"}

    def _run(self, request: requests.WorkerReleaseRequest) -> None:
        """Do it, and say what came of it, whatever that is."""
        life, action = self._life, request["action"]
        freed = life.ranks.end(request["worker_id"]) if action == "end" else None
        if freed is None:
            said = message("worker.gone")
        else:
            said = message("worker.ended", returned_bytes=freed["returned_bytes"])
        life.send(
            {
                "type": "worker_released",
                "life_id": life.life_id,
                "request_id": request["id"],
                "worker_id": request["worker_id"],
                "action": action,
                "status": "refused" if freed is None else "done",
                "freed_bytes": None if freed is None else freed["freed_bytes"],
                "returned_bytes": None if freed is None else freed["returned_bytes"],
                "message": said,
            }
        )
