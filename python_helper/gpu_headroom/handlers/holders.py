"""Requests about who holds what: holders and path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..concurrency.turns import Abandoned, Disturbed
from ..text.format import format_error
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, Protocol

    from ..concurrency.mainloop import Job, MainLoop
    from ..concurrency.turns import Turn
    from ..holders.measure import Measured
    from ..holders.paths import Ways
    from ..protocol import requests, wire

    class _HolderLife(Measured, Protocol):
        """What walks are made with, and where their results go."""

        mainloop: MainLoop

        @property
        def when(self) -> Literal["queued", "waiting"]: ...
        def send(self, event: wire.Event) -> None: ...
        def failed(self, part: str, error: BaseException) -> None: ...


class HolderRequests:
    """Queues walks for the main thread; their results come as events.

    While a cell runs the last account is all there is to say.
    """

    def __init__(self, life: _HolderLife) -> None:
        self._life = life
        self._last: wire.Holders | None = None
        self.by_kind: dict[str, Callable[[Any], wire.Reply]] = {
            "holders": self._holders,
            "path": self._path,
        }

    def _holders(self, request: requests.HoldersRequest) -> wire.HoldersReply:
        status = self._life.when
        self._life.mainloop.submit(
            "holders", request["id"], self._measure, asked=request["asked"], given_up=self._give_up
        )
        return {"type": "holders", "id": request["id"], "status": status, "last": self._last}

    def _measure(self, job: Job, turn: Turn) -> None:
        from ..holders.measure import measure, not_measured

        life, first = self._life, job.request_ids[0]
        try:
            event = self._last = measure(life, first, turn)
        except Abandoned:
            raise
        except BaseException as error:  # noqa: BLE001  the page waits for an end, whatever it is
            life.failed("holders", error)
            why = message("holders.failed", error=format_error(error))
            event = not_measured(life.life_id, first, why)
        self._send(job, event)

    def _give_up(self, job: Job) -> None:
        from ..holders.measure import not_measured

        why = message("holders.cancelled")
        self._send(job, not_measured(self._life.life_id, job.request_ids[0], why))

    def _send(self, job: Job, event: wire.Holders) -> None:
        for request_id in job.request_ids:
            self._life.send({**event, "request_id": request_id})

    def _path(self, request: requests.PathRequest) -> wire.PathReply:
        holder_id, status = request["holder_id"], self._life.when
        self._life.mainloop.submit(
            ("path", holder_id),
            request["id"],
            lambda job, turn: self._find(job, holder_id, turn),
            asked=True,
            given_up=self._give_up_path(holder_id),
        )
        return {"type": "path", "id": request["id"], "status": status}

    def _find(self, job: Job, holder_id: str, turn: Turn) -> None:
        from ..holders.paths import Ways, find

        life = self._life
        try:
            ways = (
                Ways([], complete=False, message=life.cuda.stopped)
                if life.cuda.stopped
                else find(holder_id, life.shell, life.sampler.measure(), turn)
            )
        except Disturbed:
            ways = Ways([], complete=False, message=message("holders.disturbed"))
        except Abandoned:
            raise
        except BaseException as error:  # noqa: BLE001  the page waits for an end, whatever it is
            life.failed("holders", error)
            ways = Ways.broken_off(error)
        self._send_ways(job, holder_id, ways)

    def _give_up_path(self, holder_id: str) -> Callable[[Job], None]:
        def give_up(job: Job) -> None:
            from ..holders.paths import Ways

            said = message("holders.cancelled")
            self._send_ways(job, holder_id, Ways([], complete=False, message=said))

        return give_up

    def _send_ways(self, job: Job, holder_id: str, ways: Ways) -> None:
        life = self._life
        for request_id in job.request_ids:
            life.send(ways.as_wire(life.life_id, request_id, holder_id))
