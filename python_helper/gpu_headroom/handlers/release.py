"""Requests about giving memory back: plan, release, cancel, and the clean-up cell."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from ..frameworks.torch.private import is_opaque
from ..release.code import cleanup_code
from ..release.items import measured, shared, together
from ..release.outcome import objection, run
from ..text.format import format_error
from ..text.messages import message
from .dispatcher import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..concurrency.mainloop import Job
    from ..concurrency.turns import Turn
    from ..protocol import requests, wire
    from ..release.freeable import Freeable
    from ..release.situation import Situation
    from ..session.session import Session

_MEASURED = (
    "freed_bytes",
    "returned_bytes",
    "in_use_bytes",
    "headroom_before_bytes",
    "headroom_after_bytes",
)


class ReleaseRequests:
    """Queues releases and plans for the main thread; their results come as events."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.by_kind: dict[str, Callable[[Any], wire.Reply]] = {
            "plan": self._plan,
            "release": self._release,
            "cancel": self._cancel,
            "cleanup": self._cleanup,
        }

    def _plan(self, request: requests.PlanRequest) -> wire.PlanReply:
        self._session.mainloop.submit(
            "plan",
            request["id"],
            self._make_plan,
            asked=request["asked"],
            given_up=lambda job: self._send_plan(job, [], message("plan.cancelled")),
        )
        return {"type": "plan", "id": request["id"], "status": self._session.when}

    def _make_plan(self, job: Job, turn: Turn) -> None:
        session = self._session
        found: list[Freeable] = []
        complete = False
        try:
            if turn.unwelcome is None:
                situation = session.situation(turn)
                found = measured(situation)
                summary = session.poisoned or _summary(found, situation)
                complete = session.poisoned is not None or (situation.complete and turn.native)
            else:
                summary = message("plan.beside_unasked", name=turn.unwelcome)
        except Exception as error:  # noqa: BLE001  the page waits for a plan, whatever it is
            session.failed("plan", error)
            summary = message("plan.failed", error=format_error(error))
        self._send_plan(job, found, summary, complete=complete)

    def _send_plan(
        self, job: Job, found: list[Freeable], summary: wire.Message, *, complete: bool = False
    ) -> None:
        session = self._session
        items, counted_twice = [each.as_wire() for each in found], shared(found)
        for request_id in job.request_ids:
            session.send(
                {
                    "type": "plan",
                    "life_id": session.life_id,
                    "request_id": request_id,
                    "complete": complete,
                    "items": items,
                    "shared": counted_twice,
                    "message": summary,
                }
            )

    def _release(self, request: requests.ReleaseRequest) -> wire.ReleaseReply:
        session = self._session
        items, confirmed, report_id = request["items"], request["confirmed"], request["report_id"]
        refused = objection(items, confirmed)
        if refused is not None:
            raise Refusal(refused)
        wish = ("release", None if items is None else tuple(sorted(items)), report_id)
        status = session.when
        job = session.mainloop.submit(
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
        self._session.mainloop.submit(
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
        session = self._session
        try:
            situation, read = session.situation(turn), session.sampler.measure
            outcome = asdict(run(items, situation, read, confirmed))
            if unasked and (outcome["freed_bytes"] or 0) > 0:
                outcome["message"] = _unasked(outcome)
        except Exception as error:  # noqa: BLE001  the page waits for an end, whatever it is
            session.failed("release", error)
            outcome = _without_effect("failed", error=format_error(error))
        released = self._released(release_id, report_id, outcome)
        session.reports.enter_release(released)
        session.send(released)

    def _released(
        self, release_id: str, report_id: str | None, outcome: Mapping[str, object]
    ) -> wire.Released:
        released = {
            "type": "released",
            "life_id": self._session.life_id,
            "release_id": release_id,
            "report_id": report_id,
            "time_s": time.time(),
            **outcome,
        }
        return cast("wire.Released", released)

    def _send_cancelled(self, release_id: str, report_id: str | None) -> None:
        cancelled = self._released(release_id, report_id, _without_effect("cancelled"))
        self._session.send(cancelled)

    def _cancel(self, request: requests.CancelRequest) -> wire.CancelReply:
        mainloop, wanted = self._session.mainloop, request["cancelled_id"]
        cancelled = mainloop.cancel(wanted) or mainloop.cancel_requested(wanted)
        return {"type": "cancel", "id": request["id"], "cancelled": cancelled}

    def _cleanup(self, request: requests.CleanupRequest) -> wire.CleanupReply:
        session, items = self._session, request["items"]
        if session.poisoned is not None:
            raise Refusal(session.poisoned)
        if session.ledger.running:
            raise Refusal(message("cleanup.busy"))
        key = ("cleanup", None if items is None else tuple(sorted(items)))
        session.mainloop.submit(
            key,
            request["id"],
            lambda job, turn: self._write_cleanup(job, items, turn),
            asked=True,
            given_up=lambda job: self._send_code(job, None, message("cleanup.cancelled")),
        )
        return {"type": "cleanup", "id": request["id"], "status": session.when}

    def _write_cleanup(self, job: Job, items: Sequence[str] | None, turn: Turn) -> None:
        session, code = self._session, None
        try:
            code = cleanup_code(session.situation(turn), items)
            said = message("cleanup.written")
        except Exception as error:  # noqa: BLE001  the page waits for an end, whatever it is
            session.failed("release", error)
            said = message("cleanup.failed", error=format_error(error))
        self._send_code(job, code, said)

    def _send_code(self, job: Job, code: str | None, said: wire.Message) -> None:
        session = self._session
        for request_id in job.request_ids:
            session.send(
                {
                    "type": "cleanup",
                    "life_id": session.life_id,
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
