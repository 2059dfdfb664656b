"""Requests about giving memory back: plan, release, cancel, and the clean-up cell."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from ..format import format_error
from ..messages import message
from ..requests import Refusal
from .code import cleanup_code
from .items import measured, shared, together
from .outcome import objection, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .. import protocol, wire
    from ..mainloop import Job
    from ..session import Session
    from .freeable import Freeable

_MEASURED = (
    "freed_bytes",
    "returned_bytes",
    "in_use_bytes",
    "headroom_before_bytes",
    "headroom_after_bytes",
)

# Meanwhile the kernel cannot be interrupted.
_PATIENCE_S = 3.0


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

    def _plan(self, request: protocol.PlanRequest) -> wire.PlanReply:
        self._session.mainloop.submit("plan", request["id"], self._make_plan)
        return {"type": "plan", "id": request["id"], "status": "queued"}

    def _make_plan(self, job: Job) -> None:
        session = self._session
        items: list[wire.Item] = []
        counted_twice: list[wire.Shared] = []
        try:
            found = measured(session.situation())
            items, counted_twice = [each.as_wire() for each in found], shared(found)
            summary = session.poisoned or _summary(found)
        except Exception as error:  # noqa: BLE001  the page waits for a plan, whatever it is
            session.failed("plan", error)
            summary = message("plan.failed", error=format_error(error))
        for request_id in job.request_ids:
            session.send(
                {
                    "type": "plan",
                    "life_id": session.life_id,
                    "request_id": request_id,
                    "items": items,
                    "shared": counted_twice,
                    "message": summary,
                }
            )

    def _release(self, request: protocol.ReleaseRequest) -> wire.ReleaseReply:
        session = self._session
        items, confirmed, report_id = request["items"], request["confirmed"], request["report_id"]
        refused = objection(items, confirmed)
        if refused is not None:
            raise Refusal(refused)
        wish = ("release", None if items is None else tuple(sorted(items)), report_id)
        status = session.turn
        job = session.mainloop.submit(
            wish, request["id"], lambda job: self._run_release(job.id, items, confirmed, report_id)
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
            "",
            lambda job: self._run_release(job.id, items, (), report_id, unasked=True),
        )

    def _run_release(
        self,
        release_id: str,
        items: Sequence[str] | None,
        confirmed: Sequence[str],
        report_id: str | None,
        *,
        unasked: bool = False,
    ) -> None:
        session = self._session
        try:
            situation, read = session.situation(), session.sampler.measure
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

    def _cancel(self, request: protocol.CancelRequest) -> wire.CancelReply:
        release_id = request["release_id"]
        cancelled = self._session.mainloop.cancel(release_id)
        if cancelled:
            self._session.send(self._released(release_id, None, _without_effect("cancelled")))
        return {"type": "cancel", "id": request["id"], "cancelled": cancelled}

    def _cleanup(self, request: protocol.CleanupRequest) -> wire.CleanupReply:
        session = self._session
        if session.poisoned is not None:
            raise Refusal(session.poisoned)
        code = None
        if not session.ledger.running:
            code = session.mainloop.call(
                lambda: cleanup_code(session.situation(), request["items"]), timeout_s=_PATIENCE_S
            )
        if code is None:
            raise Refusal(message("cleanup.busy"))
        return {"type": "cleanup", "id": request["id"], "code": code}


def _summary(found: list[Freeable]) -> wire.Message:
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
