"""What each request of a page does."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from . import protocol
from .channel import LEASE_S
from .messages import message
from .sampler import DEFAULT_HZ

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from . import wire
    from .mainloop import Job
    from .session import Session

_SHOWN = 80  # characters of what a page sent, in the sentence that refuses it


class Refusal(Exception):  # noqa: N818  it is an answer, not a failure of ours
    """A request that cannot be answered, with the sentence that says why."""

    def __init__(self, reason: wire.Message) -> None:
        super().__init__(reason["text"])
        self.reason = reason


class Desk:
    """Answers requests, on whatever thread they arrive.

    A request is answered from what is known, or its work is queued for the main
    thread; nothing here waits for a cell. Bad input gets a `refused` reply.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._answers: dict[str, Callable[[Any], wire.Reply]] = {
            "attach": self._attach,
            "detach": self._detach,
            "sample": self._sample,
            "plan": self._plan,
            "release": self._release,
            "cancel": self._cancel,
            "report": self._report,
            "fix": self._fix,
            "cleanup": self._cleanup,
            "pack": self._pack,
        }

    def answer(self, request: object) -> wire.Reply:
        """Answer one request; raises nothing."""
        request_id = request.get("id") if isinstance(request, dict) else None
        try:
            return self._answers[_checked(request)["type"]](request)
        except Refusal as refusal:
            reason = refusal.reason
        except Exception as error:  # noqa: BLE001  whatever fails here must not fail the kernel
            self._session.failed("requests", error)
            reason = message("refused.failed", error=_named(error))
        return {
            "type": "refused",
            "id": request_id if isinstance(request_id, str) else "",
            "message": reason,
        }

    def _attach(self, request: protocol.AttachRequest) -> wire.AttachReply:
        session = self._session
        session.options = request["options"]
        session.leases.renew(
            request["client_id"], visible=request["visible"], rate_hz=request["rate_hz"]
        )
        session.sampler.wake()
        sample = session.sample()
        return {
            "type": "attach",
            "id": request["id"],
            "hello": session.hello(),
            "lease_s": LEASE_S,
            "sample": sample,
            "cell": session.cell(),
        }

    def _detach(self, request: protocol.DetachRequest) -> wire.DetachReply:
        self._session.leases.end(request["client_id"])
        return {"type": "detach", "id": request["id"]}

    def _sample(self, request: protocol.SampleRequest) -> wire.SampleReply:
        session = self._session
        session.leases.touch(request["client_id"], DEFAULT_HZ)
        sample = session.sample()
        if sample is None:
            raise Refusal(message("refused.no_reading"))
        return {
            "type": "sample",
            "id": request["id"],
            "sample": sample,
            "cell": session.cell(),
        }

    def _plan(self, request: protocol.PlanRequest) -> wire.PlanReply:
        self._need_second_pack()
        self._session.mainloop.submit("plan", request["id"], self._make_plan)
        return {"type": "plan", "id": request["id"], "status": "queued"}

    def _make_plan(self, job: Job) -> None:
        from . import release

        session = self._session
        items = release.plan(session.shell)
        expected = sum(each["expected_bytes"] or 0 for each in items if each["safe"])
        summary = (
            message("plan.ready", expected_bytes=expected) if expected else message("plan.nothing")
        )
        for request_id in job.request_ids:
            session.send(
                {
                    "type": "plan",
                    "life_id": session.life_id,
                    "request_id": request_id,
                    "items": items,
                    "message": summary,
                }
            )

    def _release(self, request: protocol.ReleaseRequest) -> wire.ReleaseReply:
        self._need_second_pack()
        session = self._session
        items, report_id = request["items"], request["report_id"]
        wish = ("release", None if items is None else tuple(sorted(items)), report_id)
        waiting = session.ledger.running
        job = session.mainloop.submit(
            wish, request["id"], lambda job: self._run_release(job.id, items, report_id)
        )
        return {
            "type": "release",
            "id": request["id"],
            "release_id": job.id,
            "status": "waiting" if waiting else "queued",
        }

    def _run_release(
        self, release_id: str, items: Sequence[protocol.ItemId] | None, report_id: str | None
    ) -> None:
        from . import release

        session = self._session
        try:
            outcome = asdict(release.run(items, session.shell, session.sampler.measure))
        except Exception as error:  # noqa: BLE001  the page waits for an end, whatever it is
            session.failed("release", error)
            outcome = _without_effect("failed", error=_named(error))
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

    def _report(self, request: protocol.ReportRequest) -> wire.ReportReply:
        session = self._session
        ours = request["life_id"] == session.life_id
        report = session.reports.report(request["report_id"]) if ours else None
        return {
            "type": "report",
            "id": request["id"],
            "status": "known" if report else "unknown",
            "report": report,
            "released": session.reports.released(request["report_id"]) if report else None,
        }

    def _fix(self, request: protocol.FixRequest) -> wire.FixReply:
        fix = self._session.reports.fix(request["report_id"], request["remedy_id"])
        if fix is None:
            return {
                "type": "fix",
                "id": request["id"],
                "status": "unknown",
                "edits": [],
                "run": [],
                "message": message("fix.unknown"),
            }
        outcome = fix.edits(request["sources"])
        return {
            "type": "fix",
            "id": request["id"],
            "status": outcome.status,
            "edits": list(outcome.edits),
            "run": list(outcome.run),
            "message": outcome.message,
        }

    def _cleanup(self, request: protocol.CleanupRequest) -> wire.CleanupReply:
        self._need_second_pack()
        from . import release

        code = release.cleanup_code(self._session.shell)
        return {"type": "cleanup", "id": request["id"], "code": code}

    def _pack(self, request: protocol.PackRequest) -> wire.PackReply:
        accepted = self._session.add_pack(request["data"])
        return {"type": "pack", "id": request["id"], "accepted": accepted}

    def _need_second_pack(self) -> None:
        if not self._session.complete:
            raise Refusal(message("refused.incomplete"))


def _checked(request: object) -> Mapping[str, Any]:
    """Return a request of the right shape; raises `Refusal`."""
    if not isinstance(request, dict):
        raise Refusal(message("refused.malformed", key="type"))
    version, kind = request.get("protocol_version"), request.get("type")
    if isinstance(version, str) and not protocol.same_major(version):
        spoken = protocol.PROTOCOL_VERSION
        raise Refusal(message("refused.protocol", helper=spoken, page=version[:_SHOWN]))
    if not isinstance(kind, str) or kind not in protocol.REQUESTS:
        raise Refusal(message("refused.unknown", name=str(kind)[:_SHOWN]))
    flaw = protocol.flaw(request)
    if flaw:
        raise Refusal(message("refused.malformed", key=flaw))
    return cast("Mapping[str, Any]", request)


def _without_effect(status: str, **params: str) -> dict[str, object]:
    """Return the fields of a release that did not come to measure anything."""
    measured = (
        "freed_bytes",
        "returned_bytes",
        "in_use_bytes",
        "headroom_before_bytes",
        "headroom_after_bytes",
    )
    return {
        "status": status,
        **dict.fromkeys(measured),
        "items": [],
        "still_held": [],
        "message": message(f"released.{status}", **params),
    }


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
