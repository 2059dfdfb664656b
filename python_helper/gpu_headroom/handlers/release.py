"""Requests about giving memory back: plan, release, cancel, and the clean-up cell."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from ..concurrency.turns import Abandoned
from ..frameworks.torch.private import is_opaque
from ..release.code import cleanup_code
from ..release.items import measured, shared, together
from ..release.outcome import objection, run
from ..text.format import format_error
from ..text.messages import message
from .dispatcher import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Literal, Protocol

    from ..card.reports import Reports
    from ..cells.runs import Ledger
    from ..concurrency.mainloop import Job, MainLoop
    from ..concurrency.turns import Turn
    from ..protocol import requests, wire
    from ..readings.cuda import Cuda
    from ..readings.sampler import Sampler
    from ..release.freeable import Freeable
    from ..release.situation import Situation

    class _ReleaseLife(Protocol):
        """What memory is given back with, and where the results go."""

        life_id: str
        cuda: Cuda
        ledger: Ledger
        mainloop: MainLoop
        reports: Reports
        sampler: Sampler

        @property
        def when(self) -> Literal["queued", "waiting"]: ...
        def situation(self, turn: Turn) -> Situation: ...
        def send(self, event: wire.Event) -> None: ...
        def failed(self, part: str, error: BaseException) -> None: ...


_MEASURED = (
    "freed_bytes",
    "returned_bytes",
    "in_use_bytes",
    "headroom_before_bytes",
    "headroom_after_bytes",
)


class ReleaseRequests:
    """Queues releases and plans for the main thread; their results come as events."""

    def __init__(self, life: _ReleaseLife) -> None:
        self._life = life
        self.by_kind: dict[str, Callable[[Any], wire.Reply]] = {
            "plan": self._plan,
            "release": self._release,
            "cancel": self._cancel,
            "cleanup": self._cleanup,
        }

    def _plan(self, request: requests.PlanRequest) -> wire.PlanReply:
        self._life.mainloop.submit(
            "plan",
            request["id"],
            self._make_plan,
            asked=request["asked"],
            given_up=lambda job: self._send_plan(job, [], message("plan.cancelled")),
        )
        return {"type": "plan", "id": request["id"], "status": self._life.when}

    def _make_plan(self, job: Job, turn: Turn) -> None:
        life = self._life
        found: list[Freeable] = []
        complete = False
        try:
            if turn.unwelcome is None:
                situation = life.situation(turn)
                found = measured(situation)
                summary = life.cuda.stopped or _summary(found, situation)
                complete = life.cuda.stopped is not None or (situation.complete and turn.native)
            else:
                summary = message("plan.beside_unasked", name=turn.unwelcome)
        except Abandoned:
            raise
        except BaseException as error:  # noqa: BLE001  the page waits for a plan, whatever it is
            life.failed("plan", error)
            summary = message("plan.failed", error=format_error(error))
        self._send_plan(job, found, summary, complete=complete)

    def _send_plan(
        self, job: Job, found: list[Freeable], summary: wire.Message, *, complete: bool = False
    ) -> None:
        life = self._life
        items, counted_twice = [each.as_wire() for each in found], shared(found)
        for request_id in job.request_ids:
            life.send(
                {
                    "type": "plan",
                    "life_id": life.life_id,
                    "request_id": request_id,
                    "complete": complete,
                    "items": items,
                    "shared": counted_twice,
                    "message": summary,
                }
            )

    def _release(self, request: requests.ReleaseRequest) -> wire.ReleaseReply:
        life = self._life
        items, confirmed, report_id = request["items"], request["confirmed"], request["report_id"]
        refused = objection(items, confirmed)
        if refused is not None:
            raise Refusal(refused)
        wish = ("release", None if items is None else tuple(sorted(items)), report_id)
        status = life.when
        job = life.mainloop.submit(
            wish,
            request["id"],
            lambda job, turn: self._run_release(job.id, items, confirmed, report_id, turn),
            asked=True,
            given_up=lambda job: self._send_cancelled(job.id, report_id),
        )
        return {
            "type": "release",
            "id": request["id"],
            "release_id": job.id,
            "status": status,
        }

    def free_failed(self, report_id: str) -> None:
        """Free what a failed cell still holds when the main thread comes round to it, unasked."""
        items = ("traceback",)
        self._life.mainloop.submit(
            ("release", items, report_id),
            None,
            lambda job, turn: self._run_release(job.id, items, (), report_id, turn, unasked=True),
        )

    def _run_release(  # noqa: PLR0913 — a release and all that was asked of it
        self,
        release_id: str,
        items: Sequence[str] | None,
        confirmed: Sequence[str],
        report_id: str | None,
        turn: Turn,
        *,
        unasked: bool = False,
    ) -> None:
        life = self._life
        try:
            situation, read = life.situation(turn), life.sampler.measure
            outcome = asdict(run(items, situation, read, confirmed))
            if unasked and (outcome["freed_bytes"] or 0) > 0:
                outcome["message"] = _unasked(outcome)
        except Abandoned:
            raise
        except BaseException as error:  # noqa: BLE001  the page waits for an end, whatever it is
            life.failed("release", error)
            outcome = _without_effect("failed", error=format_error(error))
        released = self._released(release_id, report_id, outcome, automatic=unasked)
        life.reports.enter_release(released)
        life.send(released)

    def _released(
        self,
        release_id: str,
        report_id: str | None,
        outcome: Mapping[str, object],
        *,
        automatic: bool = False,
    ) -> wire.Released:
        released = {
            "type": "released",
            "life_id": self._life.life_id,
            "release_id": release_id,
            "report_id": report_id,
            "automatic": automatic,
            "time_s": time.time(),
            **outcome,
        }
        return cast("wire.Released", released)

    def _send_cancelled(self, release_id: str, report_id: str | None) -> None:
        cancelled = self._released(release_id, report_id, _without_effect("cancelled"))
        self._life.send(cancelled)

    def _cancel(self, request: requests.CancelRequest) -> wire.CancelReply:
        mainloop, wanted = self._life.mainloop, request["cancelled_id"]
        cancelled = mainloop.cancel(wanted) or mainloop.cancel_requested(wanted)
        return {"type": "cancel", "id": request["id"], "cancelled": cancelled}

    def _cleanup(self, request: requests.CleanupRequest) -> wire.CleanupReply:
        life, items = self._life, request["items"]
        if life.cuda.stopped is not None:
            raise Refusal(life.cuda.stopped)
        if life.ledger.running:
            raise Refusal(message("cleanup.busy"))
        key = ("cleanup", None if items is None else tuple(sorted(items)))
        life.mainloop.submit(
            key,
            request["id"],
            lambda job, turn: self._write_cleanup(job, items, turn),
            asked=True,
            given_up=lambda job: self._send_code(job, None, message("cleanup.cancelled")),
        )
        return {"type": "cleanup", "id": request["id"], "status": life.when}

    def _write_cleanup(self, job: Job, items: Sequence[str] | None, turn: Turn) -> None:
        life, code = self._life, None
        try:
            code = cleanup_code(life.situation(turn), items)
            said = message("cleanup.written")
        except Abandoned:
            raise
        except BaseException as error:  # noqa: BLE001  the page waits for an end, whatever it is
            life.failed("release", error)
            said = message("cleanup.failed", error=format_error(error))
        self._send_code(job, code, said)

    def _send_code(self, job: Job, code: str | None, said: wire.Message) -> None:
        life = self._life
        for request_id in job.request_ids:
            life.send(
                {
                    "type": "cleanup",
                    "life_id": life.life_id,
                    "request_id": request_id,
                    "code": code,
                    "message": said,
                }
            )


def _summary(found: list[Freeable], situation: Situation) -> wire.Message:
    inside = situation.turn.company.inside
    if inside:
        return message("plan.beside", name=inside[0])
    if is_opaque():
        return message("holders.unreadable")
    if not situation.complete:
        return message("plan.incomplete")
    expected = together(each for each in found if each.safe and each.adds_headroom).bytes
    return message("plan.ready", expected_bytes=expected) if expected else message("plan.nothing")


def _unasked(outcome: Mapping[str, Any]) -> wire.Message:
    freed, headroom = outcome["freed_bytes"], outcome["headroom_after_bytes"]
    if headroom is None:
        return message("released.by_itself_no_headroom", freed_bytes=freed)
    return message("released.by_itself", freed_bytes=freed, headroom_bytes=headroom)


def _without_effect(status: str, **params: str) -> dict[str, object]:
    """Return the fields of a release that did not come to measure anything."""
    return {
        "status": status,
        **dict.fromkeys(_MEASURED),
        "items": [],
        "still_held": [],
        "undo": [],
        "message": message(f"released.{status}", **params),
    }
