"""Requests about workers: list them, measure them or not, free their memory, end them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..concurrency import threads
from ..handlers.dispatcher import RefusedError, limited
from ..text.messages import message
from .gpus import MOST, cut
from .words import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..protocol.generated import requests, wire
    from .wing import Workers


class WorkerRequests:
    """Request handlers by request type; slow ones run on a thread of their own."""

    def __init__(self, workers: Workers) -> None:
        self._workers, self._host = workers, workers.host
        self.by_kind: dict[str, Callable[[Any], wire.Reply]] = {
            "workers": self._list,
            "follow": self._follow,
            "worker_release": self._release,
        }

    @limited("repeated")
    def _list(self, request: requests.WorkersRequest) -> wire.WorkersReply:
        snapshot = self._host.sampler.latest
        answer = self._workers.answer(request["filter"])
        return {
            "type": "workers",
            "id": request["id"],
            "workers": self._workers.short(snapshot.devices if snapshot else ()),
            "gpus": list(_fullest(answer.gpus)),
            "total": answer.total,
        }

    def _follow(self, request: requests.FollowRequest) -> wire.FollowReply:
        name = request["engine"]
        engine = None if name == "rank" else self._workers.engine(name)
        if engine is None:
            raise RefusedError(message("refused.unknown", name=name[:80]))
        if self._host.options["measure_workers"] == "never":
            raise RefusedError(message("worker.never", TEXTS))
        (engine.follow if request["follow"] else engine.unfollow)()
        return {"type": "follow", "id": request["id"]}

    def _release(self, request: requests.WorkerReleaseRequest) -> wire.WorkerReleaseReply:
        threads.start(lambda: self._run(request))
        return {"type": "worker_release", "id": request["id"], "status": "queued"}

    def _run(self, request: requests.WorkerReleaseRequest) -> None:
        """Carry out the action on the worker, and send its outcome."""
        host, worker_id = self._host, request["worker_id"]
        engine = self._workers.engine(worker_id.partition(":")[0])
        done = engine and engine.act(worker_id, request["action"])
        host.send(
            {
                "type": "worker_released",
                "helper_id": host.helper_id,
                "request_id": request["id"],
                "status": done.status if done else "refused",
                "message": done.said if done else message("worker.gone", TEXTS),
            }
        )


def _fullest(gpus: Iterable[wire.WorkerGpu]) -> Iterator[wire.WorkerGpu]:
    most = MOST
    for gpu in gpus:
        if most > 0:
            yield cut(gpu, most)
            most -= len(gpu["workers"])
