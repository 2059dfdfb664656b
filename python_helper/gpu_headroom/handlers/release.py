"""Requests that free memory: plan, release, cancel, and the clean-up cell."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from ..concurrency.turns import WalkCanceled
from ..frameworks.torch.private import is_opaque
from ..release.code import cleanup_code
from ..release.items import as_wire, kinds, measured, shared, together
from ..release.outcome import Outcome, objection, run
from ..text.format import format_error
from ..text.messages import message
from .dispatcher import RefusedError, limited
from .queued import enqueue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..concurrency.mainloop import Job
    from ..concurrency.turns import Turn
    from ..protocol.generated import requests, wire
    from ..release.freeable import Freeable
    from ..release.situation import Situation
    from .dispatcher import Handlers
    from .queued import Fields, Served


class ReleaseRequests:
    """Queues releases and plans for the main thread; results are sent as events."""

    def __init__(self, helper: Served) -> None:
        self._helper = helper
        kinds()  # import the kinds now, while no cell waits for them
        self.by_kind: Handlers = {
            "plan": self._plan,
            "release": self._release,
            "cancel": self._cancel,
            "cleanup": self._cleanup,
        }

    @limited("refused")
    def _plan(self, request: requests.PlanRequest) -> wire.PlanReply:
        reply: wire.PlanReply = enqueue(
            self._helper,
            request,
            self._make_plan,
            cancelled=lambda: _planned(message("plan.cancelled")),
            failed=lambda error: _planned(message("plan.failed", error=error)),
            part="plan",
            asked=request["asked"],
            rests=True,
        )
        return reply

    def _make_plan(self, turn: Turn) -> Fields:
        helper = self._helper
        if turn.blocked_by is not None:
            return _planned(message("plan.beside_unasked", name=turn.blocked_by))
        situation = helper.situation(turn)
        items = measured(situation)
        if helper.cuda.stopped is not None:
            return _planned(helper.cuda.stopped, items, complete=True)
        complete = situation.complete and turn.reads_graphs
        return _planned(_summary(items, situation), items, complete=complete)

    def _release(self, request: requests.ReleaseRequest) -> wire.ReleaseReply:
        status, items, confirmed = self._helper.when, request["items"], request["confirmed"]
        refused = objection(items, confirmed)
        if refused is not None:
            raise RefusedError(refused)
        return {
            "type": "release",
            "id": request["id"],
            "release_id": free(self._helper, items, confirmed, request["report_id"], request["id"]),
            "status": status,
        }

    def _cancel(self, request: requests.CancelRequest) -> wire.CancelReply:
        mainloop, cancelled_id = self._helper.mainloop, request["cancelled_id"]
        cancelled = mainloop.cancel(cancelled_id) or mainloop.cancel_requested(cancelled_id)
        return {"type": "cancel", "id": request["id"], "cancelled": cancelled}

    def _cleanup(self, request: requests.CleanupRequest) -> wire.CleanupReply:
        helper, items = self._helper, request["items"]
        if helper.cuda.stopped is not None:
            raise RefusedError(helper.cuda.stopped)
        if helper.ledger.running:
            raise RefusedError(message("cleanup.busy"))

        def work(turn: Turn) -> Fields:
            return _written("cleanup.written", cleanup_code(helper.situation(turn), items))

        reply: wire.CleanupReply = enqueue(
            helper,
            request,
            work,
            cancelled=lambda: _written("cleanup.cancelled"),
            failed=lambda error: _written("cleanup.failed", error=error),
            part="release",
            key=None if items is None else tuple(sorted(items)),
        )
        return reply


def free(
    helper: Served,
    items: Sequence[str] | None,
    confirmed: Sequence[str],
    report_id: str | None,
    request_id: str | None = None,
) -> str:
    """Queue the release of items on the main thread, and return the id of the release.

    `items` is `None` for the safe set. `report_id` is the report that offers it. Without
    `request_id` the release is automatic.
    """
    automatic = request_id is None

    def work(job: Job, turn: Turn) -> None:
        try:
            outcome = run(items, helper.situation(turn), helper.sampler.measure, confirmed)
            if automatic and (outcome.freed_bytes or 0) > 0:
                outcome = replace(outcome, message=_unasked(outcome))
        except WalkCanceled:
            raise
        except BaseException as error:  # noqa: BLE001  the front end waits for an outcome
            helper.failed("release", error)
            reason = message("released.failed", error=format_error(error))
            outcome = Outcome(status="failed", message=reason)
        tell(helper, outcome, job.id, report_id, automatic=automatic)

    def give_up(job: Job) -> None:
        outcome = Outcome(status="cancelled", message=message("released.cancelled"))
        tell(helper, outcome, job.id, report_id)

    wish = ("release", None if items is None else tuple(sorted(items)), report_id)
    callback = None if automatic else give_up
    job = helper.mainloop.submit(wish, request_id, work, asked=not automatic, given_up=callback)
    return job.id


def tell(
    helper: Served,
    outcome: Outcome,
    release_id: str,
    report_id: str | None = None,
    *,
    automatic: bool = False,
) -> None:
    """Store the outcome of a release with its report, and send it to all front ends."""
    event: Any = {
        "type": "released",
        "helper_id": helper.helper_id,
        "release_id": release_id,
        "report_id": report_id,
        "automatic": automatic,
        "time_s": time.time(),
        **asdict(outcome),
    }
    helper.reports.enter_release(event)
    helper.send(event)


def _unasked(outcome: Outcome) -> wire.Message:
    freed, headroom = outcome.freed_bytes, outcome.headroom_after_bytes
    if headroom is None:
        return message("released.by_itself_no_headroom", freed_bytes=freed)
    return message("released.by_itself", freed_bytes=freed, headroom_bytes=headroom)


def _written(said: str, code: str | None = None, **params: str) -> Fields:
    return {"code": code, "message": message(said, **params)}


def _planned(
    summary: wire.Message, found: Sequence[Freeable] = (), *, complete: bool = False
) -> Fields:
    return {
        "complete": complete,
        "items": [as_wire(item) for item in found],
        "shared": shared(found),
        "message": summary,
    }


def _summary(found: Sequence[Freeable], situation: Situation) -> wire.Message:
    inside = situation.turn.company.inside
    if inside:
        return message("plan.beside", name=inside[0])
    if is_opaque():
        return message("holders.unreadable")
    if not situation.complete:
        return message("plan.incomplete")
    pairs = [(item, kinds()[item.kind]) for item in found]
    expected = together(item for item, kind in pairs if kind.safe and kind.adds_headroom).bytes
    return message("plan.ready", expected_bytes=expected) if expected else message("plan.nothing")
